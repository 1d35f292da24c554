//! The configuration of a composite: its calldata, the calls to its terms, its storage.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{Term, setComposition_0Call, setComposition_1Call},
    IAccessPredicate::hasAccessCall,
};

use super::{
    stored::{Stored, packed, with_list},
    term_data::data_for,
};
use crate::model::{CallResult, calldata::Arguments};

/// The default and maximum budget.
pub(super) const MAX_BUDGET: u64 = 150_000;

/// A term, and whether it supported `IReadsCallData` when it was set.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) term: Term,
    pub(super) reads_data: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Composition {
    pub(super) op: u8,
    pub(super) parts: Vec<Part>,
    pub(super) term_gas: U256,
}

impl Composition {
    /// The calldata for each term; none for a term that must not be called.
    pub(super) fn calls(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
    ) -> Result<Vec<Option<Vec<u8>>>, CallResult> {
        let encode = |data: Vec<u8>| {
            let call = hasAccessCall {
                toolId: id,
                account,
                data: data.into(),
            };
            call.abi_encode()
        };
        let data = data_for(&self.parts, data)?;
        Ok(data.into_iter().map(|data| data.map(encode)).collect())
    }

    /// A term is stored as its address and two flags: negated, reads call data.
    pub(super) fn stored(&self) -> Stored {
        let pack = |part: &Part| {
            packed(&[
                (part.term.predicate.into_word().into(), 0),
                (U256::from(u8::from(part.term.negate)), 160),
                (U256::from(u8::from(part.reads_data)), 161),
            ])
        };
        let words: Vec<U256> = self.parts.iter().map(pack).collect();
        let word = packed(&[
            (U256::from(words.len()), 160),
            (U256::from(self.op), 168),
            (self.term_gas, 176),
            (U256::ONE, 208),
        ]);
        with_list(word, words)
    }
}

/// Decodes the tool, the operator, two words per term and the budget.
pub(super) fn read(data: &[u8]) -> Option<(U256, u8, Vec<B256>, U256)> {
    let (selector, call) = Arguments::split(data)?;
    let budget = match selector {
        setComposition_0Call::SELECTOR => U256::from(MAX_BUDGET),
        setComposition_1Call::SELECTOR => call.number(3)?,
        _ => return None,
    };
    Some((call.number(0)?, call.small(1)?, call.list(2, 2)?, budget))
}
