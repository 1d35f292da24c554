//! What a composite hands to its terms as `data`.

use alloy_primitives::{FixedBytes, U256, keccak256};
use alloy_sol_types::{Panic, PanicKind};
use atr_bindings::CompositePredicate::WrongNumberOfEntries;

use super::{composition::Part, predicate::negated_marker};
use crate::model::{
    Reply,
    calldata::{Arguments, NoCopy},
};

/// What each term is given as `data`; none if it must not be asked.
pub(super) fn data_for(parts: &[Part], data: &[u8]) -> Result<Vec<Option<Vec<u8>>>, Reply> {
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
fn per_term(data: &[u8], terms: usize) -> Result<Vec<Vec<u8>>, Reply> {
    let (_, arguments) = Arguments::split(data).ok_or_else(Reply::reverts_silently)?;
    let entries = arguments.byte_strings(0).map_err(|why| match why {
        NoCopy::Incomplete => Reply::reverts_silently(),
        NoCopy::NoMemory => Reply::reverts(&Panic::from(PanicKind::ResourceError)),
    })?;
    if entries.len() != terms {
        return Err(Reply::reverts(&WrongNumberOfEntries {
            entries: U256::from(entries.len()),
            terms: U256::from(terms),
        }));
    }
    Ok(entries.into_iter().map(<[u8]>::to_vec).collect())
}

pub(super) fn per_term_selector() -> FixedBytes<4> {
    FixedBytes::from_slice(&keccak256("perTerm(bytes[])")[..4])
}
