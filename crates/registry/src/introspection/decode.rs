//! Decoding of `AccessRequirement[]`, bounded in size, count and depth. Known kinds are decoded strictly.

use alloy_primitives::FixedBytes;
use atr_bindings::{NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID, PredicateKind};

use crate::{
    IntrospectionLimits, Limit, Logic, Requirement, RequirementKind,
    abi::{AbiSlice, Malformed},
    predicates,
    requirements::{UNKNOWN_ID, WALLET_STATE_ATTESTATION_ID, WalletStateAttestation},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecodeError {
    Malformed(Malformed),
    OverLimit {
        limit: Limit,
        found: usize,
        max: usize,
    },
}

impl From<Malformed> for DecodeError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// Decodes one list.
#[derive(Debug)]
pub(super) struct Decoder {
    limits: IntrospectionLimits,
    /// Entries of nested lists so far.
    nested_entries: usize,
    /// Bytes of `data` and `label` so far.
    total_bytes: usize,
}

impl Decoder {
    pub(super) const fn new(limits: IntrospectionLimits) -> Self {
        Self {
            limits,
            nested_entries: 0,
            total_bytes: 0,
        }
    }

    /// The return data of `getRequirements`: `(AccessRequirement[], uint8 logic)`.
    pub(super) fn return_data(
        &mut self,
        bytes: &[u8],
    ) -> Result<(Logic, Vec<Requirement>), DecodeError> {
        let values = AbiSlice::new(bytes);
        let logic = logic(values.uint8(1)?)?;
        Ok((logic, self.list(values.dynamic(0)?, 0)?))
    }

    fn list(&mut self, list: AbiSlice<'_>, depth: usize) -> Result<Vec<Requirement>, DecodeError> {
        let count = list.array_length()?;
        check(Limit::Entries, count, self.limits.entries)?;
        if depth > 0 {
            self.nested_entries += count;
            check(
                Limit::NestedEntries,
                self.nested_entries,
                self.limits.nested_entries,
            )?;
        }
        let entries = list.skip(1)?;
        (0..count)
            .map(|index| self.entry(entries.dynamic(index)?, depth))
            .collect()
    }

    fn entry(&mut self, entry: AbiSlice<'_>, depth: usize) -> Result<Requirement, DecodeError> {
        let kind = entry.bytes4(0)?;
        let data = entry.dynamic(1)?.bytes()?;
        check(Limit::Data, data.len(), self.limits.data_bytes)?;
        let label = entry.dynamic(2)?;
        check(Limit::Label, label.bytes()?.len(), self.limits.label_bytes)?;
        self.copy(data.len() + label.bytes()?.len())?;
        Ok(Requirement {
            kind,
            data: data.to_vec().into(),
            label: label.string()?.to_owned(),
            decoded: self.kind(kind, data, depth)?,
        })
    }

    /// Counts bytes before they are copied.
    fn copy(&mut self, bytes: usize) -> Result<(), DecodeError> {
        self.total_bytes += bytes;
        check(Limit::TotalBytes, self.total_bytes, self.limits.total_bytes)
    }

    /// Invalid data of a known kind does not invalidate the list.
    fn kind(
        &mut self,
        kind: FixedBytes<4>,
        data: &[u8],
        depth: usize,
    ) -> Result<RequirementKind, DecodeError> {
        let decoded = match kind {
            NEGATED_REQUIREMENT_ID => self.negated(data, depth),
            NESTED_REQUIREMENTS_ID => self.nested(data, depth),
            _ => decode_leaf(kind, AbiSlice::new(data)).map_err(DecodeError::Malformed),
        };
        match decoded {
            Err(DecodeError::Malformed(_)) => Ok(RequirementKind::Malformed),
            decoded => decoded,
        }
    }

    fn negated(&mut self, data: &[u8], depth: usize) -> Result<RequirementKind, DecodeError> {
        check(Limit::Depth, depth + 1, self.limits.depth)?;
        let values = AbiSlice::new(data);
        let inner = values.last_bytes(1, 2)?;
        let kind = values.bytes4(0)?;
        self.copy(inner.len())?;
        Ok(RequirementKind::Negated(Box::new(Requirement {
            kind,
            data: inner.to_vec().into(),
            label: String::new(),
            decoded: self.kind(kind, inner, depth + 1)?,
        })))
    }

    fn nested(&mut self, data: &[u8], depth: usize) -> Result<RequirementKind, DecodeError> {
        check(Limit::Depth, depth + 1, self.limits.depth)?;
        let values = AbiSlice::new(data);
        Ok(RequirementKind::Nested {
            logic: logic(values.uint8(0)?)?,
            requirements: self.list(values.dynamic(1)?, depth + 1)?,
        })
    }
}

fn decode_leaf(kind: FixedBytes<4>, data: AbiSlice<'_>) -> Result<RequirementKind, Malformed> {
    match kind {
        UNKNOWN_ID => Ok(RequirementKind::Unknown),
        WALLET_STATE_ATTESTATION_ID => {
            WalletStateAttestation::decode(data).map(RequirementKind::WalletStateAttestation)
        }
        _ => match PredicateKind::from_requirement_id(kind) {
            Some(predicate) => predicates::decode_requirement(predicate, data),
            None => Ok(RequirementKind::Other),
        },
    }
}

const fn logic(value: u8) -> Result<Logic, Malformed> {
    match Logic::from_abi(value) {
        Some(logic) => Ok(logic),
        None => Err(Malformed::INVALID_LOGIC),
    }
}

fn check(limit: Limit, found: usize, max: usize) -> Result<(), DecodeError> {
    if found > max {
        return Err(DecodeError::OverLimit { limit, found, max });
    }
    Ok(())
}
