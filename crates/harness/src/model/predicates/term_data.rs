//! The `data` that a composite passes to its terms.

use alloy_primitives::{FixedBytes, U256, keccak256};
use atr_bindings::CompositePredicate::{InvalidEntries, WrongNumberOfEntries};

use super::{composition::Part, predicate::negated_marker};
use crate::model::{CallResult, calldata::Arguments};

/// The `data` for each term; none for a term that must not be called.
pub(super) fn data_for(parts: &[&Part], data: &[u8]) -> Result<Vec<Option<Vec<u8>>>, CallResult> {
    let list = match data.strip_prefix(per_term_selector().as_slice()) {
        Some(_) => Some(per_term_list(data, parts.len())?),
        None => None,
    };
    let is_negated = data == negated_marker();
    let each = parts.iter().enumerate().map(|(index, part)| {
        if part.term.negate {
            return Ok(Some(negated_marker().to_vec()));
        }
        if is_negated && part.reads_data {
            return Ok(None);
        }
        let data = match list {
            Some(list) => list.bytes(index).ok_or_else(invalid_entries)?,
            None => data,
        };
        Ok(Some(data.to_vec()))
    });
    each.collect()
}

/// The list of `perTerm(bytes[])` data: the offset of each entry, then the entries.
fn per_term_list(data: &[u8], terms: usize) -> Result<Arguments<'_>, CallResult> {
    let (_, arguments) = Arguments::split(data).ok_or_else(invalid_entries)?;
    let entries = arguments.number(1).ok_or_else(invalid_entries)?;
    if arguments.number(0) != Some(U256::from(32)) {
        return Err(invalid_entries());
    }
    let terms_in_list = U256::from(terms);
    if entries != terms_in_list {
        return Err(CallResult::reverts(&WrongNumberOfEntries {
            entries,
            terms: terms_in_list,
        }));
    }
    let list = arguments.skip(64).require_words(terms);
    list.ok_or_else(invalid_entries)
}

fn invalid_entries() -> CallResult {
    CallResult::reverts(&InvalidEntries {})
}

pub(super) fn per_term_selector() -> FixedBytes<4> {
    FixedBytes::from_slice(&keccak256("perTerm(bytes[])")[..4])
}
