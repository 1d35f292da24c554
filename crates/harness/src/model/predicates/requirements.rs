//! What a predicate says it requires.

use alloy_primitives::{Bytes, FixedBytes, U256};
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

/// A list of requirements, and whether any of them is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// The entries.
    pub entries: Vec<AccessRequirement>,
    /// OR instead of AND.
    pub any: bool,
}

impl Requirements {
    /// Just one.
    #[must_use]
    pub fn only(kind: FixedBytes<4>, data: impl Into<Bytes>, label: &str) -> Self {
        Self {
            entries: vec![entry(kind, data, label)],
            any: false,
        }
    }

    /// Any of several of a kind, each by its data.
    #[must_use]
    pub fn any_of(kind: FixedBytes<4>, all: impl Iterator<Item = Vec<u8>>, label: &str) -> Self {
        Self {
            entries: all.map(|data| entry(kind, data, label)).collect(),
            any: true,
        }
    }

    /// The one nobody fulfils.
    #[must_use]
    pub fn nobody() -> Self {
        Self::only(ALWAYS_DENIED_ID, [], "Nobody is let in")
    }

    /// What `getRequirements` returns.
    #[must_use]
    pub fn abi_encode(&self) -> Vec<u8> {
        getRequirementsCall::abi_encode_returns(&getRequirementsReturn {
            requirements: self.entries.clone(),
            logic: u8::from(self.any),
        })
    }

    /// What a predicate returned; none if that is no list, or more than a composite passes on.
    pub(super) fn told(returned: &[u8]) -> Option<Self> {
        let told = getRequirementsCall::abi_decode_returns_validate(returned).ok()?;
        let sizes = |entry: &AccessRequirement| (entry.data.len(), entry.label.len());
        let fits = |(data, label)| data <= MAX_DATA_BYTES && label <= MAX_LABEL_BYTES;
        let total: usize = told
            .requirements
            .iter()
            .map(sizes)
            .map(|(data, label)| data + label)
            .sum();
        let within_limits = told.requirements.len() <= MAX_ENTRIES
            && told.requirements.iter().map(sizes).all(fits)
            && total <= MAX_TERM_BYTES;
        (within_limits && told.logic <= 1).then_some(Self {
            entries: told.requirements,
            any: told.logic == 1,
        })
    }

    /// As entries of a list: as they are if that keeps their meaning, else as one.
    pub(super) fn within(self, any: bool) -> Vec<AccessRequirement> {
        let keeps_meaning =
            self.entries.len() == 1 || (!self.entries.is_empty() && self.any == any);
        if keeps_meaning {
            self.entries
        } else {
            vec![self.nested()]
        }
    }

    /// Their opposite, as one entry.
    pub(super) fn negated(mut self) -> AccessRequirement {
        let one = match self.entries.len() {
            1 => self.entries.remove(0),
            _ => self.nested(),
        };
        let data = (one.kind, one.data).abi_encode_params();
        if one.kind.is_zero() || data.len() > MAX_DATA_BYTES {
            return unknown();
        }
        let label = format!("Not: {}", one.label);
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

/// What stands for a predicate that cannot be described.
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
