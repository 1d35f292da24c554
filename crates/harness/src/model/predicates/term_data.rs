//! The `data` that a composite passes to its terms.

use alloy_primitives::{FixedBytes, U256, keccak256};
use alloy_sol_types::{Panic, PanicKind};
use atr_bindings::CompositePredicate::WrongNumberOfEntries;

use super::{composition::Part, predicate::negated_marker};
use crate::model::{
    CallResult,
    calldata::{Arguments, DecodeError},
};

/// The `data` for each term; none for a term that must not be called.
pub(super) fn data_for(parts: &[&Part], data: &[u8]) -> Result<Vec<Option<Vec<u8>>>, CallResult> {
    let entries = match data.strip_prefix(per_term_selector().as_slice()) {
        Some(_) => Some(per_term(data, parts.len())?),
        None => None,
    };
    let is_negated = data == negated_marker();
    let each = parts.iter().enumerate().map(|(index, part)| {
        if part.term.negate {
            return Some(negated_marker().to_vec());
        }
        if is_negated && part.reads_data {
            return None;
        }
        Some(match &entries {
            Some(entries) => entries[index].clone(),
            None => data.to_vec(),
        })
    });
    Ok(each.collect())
}

/// The entries of `perTerm(bytes[])`, one for each term.
fn per_term(data: &[u8], terms: usize) -> Result<Vec<Vec<u8>>, CallResult> {
    let (_, arguments) = Arguments::split(data).ok_or_else(CallResult::reverts_without_data)?;
    let entries = arguments.byte_strings(0).map_err(|why| match why {
        DecodeError::Incomplete => CallResult::reverts_without_data(),
        DecodeError::NoMemory => CallResult::reverts(&Panic::from(PanicKind::ResourceError)),
    })?;
    if entries.len() != terms {
        return Err(CallResult::reverts(&WrongNumberOfEntries {
            entries: U256::from(entries.len()),
            terms: U256::from(terms),
        }));
    }
    Ok(entries.into_iter().map(<[u8]>::to_vec).collect())
}

pub(super) fn per_term_selector() -> FixedBytes<4> {
    FixedBytes::from_slice(&keccak256("perTerm(bytes[])")[..4])
}
