//! The configuration of a composite: its calldata, the calls to its terms, its storage.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{EmptyClause, Term, setClausesCall, setCompositionCall},
    IAccessPredicate::hasAccessCall,
};

use super::{
    stipends::gas_required,
    stored::{Stored, packed, packed_config, with_list},
    term_data::data_for,
};
use crate::model::{
    CallResult,
    calldata::{Arguments, clean_address, clean_bool},
};

/// A term, whether it supported `IReadsCallData` when it was set, and its stipend.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) term: Term,
    pub(super) reads_data: bool,
    pub(super) stipend: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Composition {
    pub(super) op: u8,
    pub(super) clauses: Vec<Vec<Part>>,
}

impl Composition {
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.clauses.iter().flatten()
    }

    pub(super) fn clauses_of_terms(&self) -> Vec<Vec<Term>> {
        let terms = |clause: &Vec<Part>| clause.iter().map(|part| part.term.clone()).collect();
        self.clauses.iter().map(terms).collect()
    }

    /// The terms; none if a clause has several.
    pub(super) fn flat_terms(&self) -> Option<Vec<Term>> {
        let is_flat = self.clauses.iter().all(|clause| clause.len() == 1);
        is_flat.then(|| self.clauses_of_terms().concat())
    }

    pub(super) fn stipends(&self) -> Vec<U256> {
        self.parts().map(|part| U256::from(part.stipend)).collect()
    }

    pub(super) fn gas_needed(&self) -> u64 {
        let each = self.parts().map(|part| gas_required(part.stipend) + 3_500);
        8_600 + each.sum::<u64>()
    }

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
        let data = data_for(&self.parts().collect::<Vec<_>>(), data)?;
        Ok(data.into_iter().map(|data| data.map(encode)).collect())
    }

    /// A term is stored as its address, three flags (negated, reads call data, another term of the clause follows) and its stipend.
    pub(super) fn stored(&self) -> Vec<(u64, Stored)> {
        let words = self.clauses.iter().flat_map(|clause| {
            clause.iter().enumerate().map(|(index, part)| {
                let flag = |flag: bool| U256::from(u8::from(flag));
                packed(&[
                    (part.term.predicate.into_word().into(), 0),
                    (flag(part.term.negate), 160),
                    (flag(part.reads_data), 161),
                    (flag(index + 1 < clause.len()), 162),
                    (U256::from(part.stipend), 192),
                ])
            })
        });
        let words: Vec<U256> = words.collect();
        let config = packed_config(Address::ZERO, [words.len(), self.op.into()], 0);
        vec![(0, with_list(config, words))]
    }
}

/// The arguments of a setter. Terms are not validated yet; none for a clause that Solidity rejects when it reads it.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) id: U256,
    pub(super) op: u8,
    clauses: Vec<Option<Vec<B256>>>,
    /// Empty for the default.
    pub(super) stipends: Vec<U256>,
}

/// Decodes `setComposition` or `setClauses`.
pub(super) fn read(data: &[u8]) -> Option<Input> {
    let (selector, call) = Arguments::split(data)?;
    let (clauses, stipends) = match selector {
        setCompositionCall::SELECTOR => {
            let terms = call.list(2, 2)?;
            let clauses = terms.chunks_exact(2).map(|term| Some(term.to_vec()));
            (clauses.collect(), Vec::new())
        }
        setClausesCall::SELECTOR => (call.lists(2, 2)?, call.list(3, 1)?),
        _ => return None,
    };
    Some(Input {
        id: call.number(0)?,
        op: call.small(1)?,
        clauses,
        stipends: stipends.into_iter().map(Into::into).collect(),
    })
}

impl Input {
    /// Checks that every clause has a term, then that every term decodes.
    pub(super) fn clauses(&self) -> Result<Vec<Vec<Term>>, CallResult> {
        let mut clauses = Vec::new();
        for (index, clause) in self.clauses.iter().enumerate() {
            let words = clause
                .as_ref()
                .ok_or_else(CallResult::reverts_without_data)?;
            if words.is_empty() {
                let index = U256::from(index);
                return Err(CallResult::reverts(&EmptyClause { index }));
            }
            clauses.push(words);
        }
        let term = |words: &[B256]| {
            Some(Term {
                predicate: clean_address(words[0])?,
                negate: clean_bool(words[1])?,
            })
        };
        let clause = |words: &Vec<B256>| words.chunks_exact(2).map(term).collect();
        let clauses: Option<_> = clauses.into_iter().map(clause).collect();
        clauses.ok_or_else(CallResult::reverts_without_data)
    }
}
