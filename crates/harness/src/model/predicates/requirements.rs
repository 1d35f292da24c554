//! Access requirements.

use alloy_primitives::{Address, Bytes, FixedBytes, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ALWAYS_DENIED_ID, AccessRequirement,
    IAccessPredicate::{getRequirementsCall, getRequirementsReturn},
    NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID,
};

const MAX_ENTRIES: usize = 32;
const MAX_DATA_BYTES: usize = 4_096;
const MAX_LABEL_BYTES: usize = 256;
const MAX_TERM_BYTES: usize = 8_192;

/// A list of requirements and its logic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Requirements {
    pub entries: Vec<AccessRequirement>,
    /// OR instead of AND.
    pub any: bool,
}

impl Requirements {
    /// A single requirement.
    #[must_use]
    pub fn only(kind: FixedBytes<4>, data: impl Into<Bytes>, label: &str) -> Self {
        Self {
            entries: vec![entry(kind, data, label)],
            any: false,
        }
    }

    /// Any of several requirements of one kind. Without requirements everyone is denied.
    #[must_use]
    pub fn any_of(kind: FixedBytes<4>, all: impl Iterator<Item = Vec<u8>>, label: &str) -> Self {
        let entries: Vec<_> = all.map(|data| entry(kind, data, label)).collect();
        match entries.is_empty() {
            true => Self::always_denied(),
            false => Self { entries, any: true },
        }
    }

    /// The requirement of a tool that denies everyone.
    #[must_use]
    pub fn always_denied() -> Self {
        Self::only(ALWAYS_DENIED_ID, [], "Access is denied to every account")
    }

    /// The return data of `getRequirements`.
    #[must_use]
    pub fn abi_encode(&self) -> Vec<u8> {
        getRequirementsCall::abi_encode_returns(&getRequirementsReturn {
            requirements: self.entries.clone(),
            logic: u8::from(self.any),
        })
    }

    /// Decodes return data; none if it does not decode or exceeds the limits of a composite.
    pub(super) fn decode(returned: &[u8]) -> Option<Self> {
        let found = getRequirementsCall::abi_decode_returns_validate(returned).ok()?;
        let sizes = |entry: &AccessRequirement| (entry.data.len(), entry.label.len());
        let fits = |(data, label)| data <= MAX_DATA_BYTES && label <= MAX_LABEL_BYTES;
        let total: usize = found
            .requirements
            .iter()
            .map(sizes)
            .map(|(data, label)| data + label)
            .sum();
        let within_limits = found.requirements.len() <= MAX_ENTRIES
            && found.requirements.iter().map(sizes).all(fits)
            && total <= MAX_TERM_BYTES;
        (within_limits && found.logic <= 1).then_some(Self {
            entries: found.requirements,
            any: found.logic == 1,
        })
    }

    /// As entries of an outer list: inlined if that keeps their meaning, otherwise one nested entry.
    pub(super) fn inline_or_nest(self, any: bool) -> Vec<AccessRequirement> {
        let keeps_meaning =
            self.entries.len() == 1 || (!self.entries.is_empty() && self.any == any);
        if keeps_meaning {
            self.entries
        } else {
            vec![self.nested()]
        }
    }

    /// The negation, as one entry.
    pub(super) fn negated(mut self) -> AccessRequirement {
        let inner = match self.entries.len() {
            1 => self.entries.remove(0),
            _ => self.nested(),
        };
        let data = (inner.kind, inner.data).abi_encode_params();
        if inner.kind.is_zero() || data.len() > MAX_DATA_BYTES {
            return unknown();
        }
        let label = format!("Not: {}", inner.label);
        let label = if label.len() > MAX_LABEL_BYTES {
            "Not"
        } else {
            &label
        };
        entry(NEGATED_REQUIREMENT_ID, data, label)
    }

    fn nested(self) -> AccessRequirement {
        let data = (U256::from(u8::from(self.any)), self.entries).abi_encode_params();
        if data.len() > MAX_DATA_BYTES {
            return unknown();
        }
        let label = if self.any {
            "Any of these"
        } else {
            "All of these"
        };
        entry(NESTED_REQUIREMENTS_ID, data, label)
    }
}

/// The requirements of the terms of a clause.
#[derive(Clone, Debug)]
pub struct ClauseRequirements {
    /// The predicate of each term and its entries in a list with the logic of the clause.
    pub(crate) terms: Vec<(Address, Vec<AccessRequirement>)>,
    /// The logic of the composite: OR instead of AND. A clause of several terms has the other one.
    pub(crate) any: bool,
}

impl ClauseRequirements {
    /// As entries of the composite's list. Terms for which `is_unknown` holds are unknown.
    pub(crate) fn entries(&self, is_unknown: impl Fn(usize) -> bool) -> Vec<AccessRequirement> {
        let each = self.terms.iter().enumerate();
        let entries = each.flat_map(|(index, (_, entries))| match is_unknown(index) {
            true => vec![unknown()],
            false => entries.clone(),
        });
        let entries = entries.collect();
        match self.terms.len() {
            1 => entries,
            _ => Requirements {
                entries,
                any: !self.any,
            }
            .inline_or_nest(self.any),
        }
    }
}

/// The entry of a predicate whose requirements are unknown.
pub(crate) fn unknown() -> AccessRequirement {
    entry(FixedBytes::ZERO, [], "unknown")
}

fn entry(kind: FixedBytes<4>, data: impl Into<Bytes>, label: &str) -> AccessRequirement {
    AccessRequirement {
        kind,
        data: data.into(),
        label: label.to_owned(),
    }
}
