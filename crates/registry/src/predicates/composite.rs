//! `CompositePredicate`: combines predicates with ALL or ANY.

use alloy_primitives::{Address, U256};
use atr_bindings::CompositePredicate;
use serde::Serialize;

use super::{ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError};
use crate::{Call, Logic, transaction::decode_errors};

/// Access if all or any of the terms grant it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Configuration {
    pub logic: Logic,
    pub terms: Vec<Term>,
}

/// One predicate of a composite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Term {
    pub predicate: Address,
    /// Whether granted and denied are swapped.
    pub negate: bool,
}

impl PredicateModule for Configuration {
    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            CompositePredicate::InvalidOperator(e) => format!("{} is not an operator", e.op);
            CompositePredicate::TooManyTerms(e) => format!("{} terms; the maximum is {}", e.count, e.max);
            CompositePredicate::InvalidBudget(e) => format!("a gas budget of {}; the maximum is {}", e.budget, e.max);
            CompositePredicate::InvalidTerm(e) => format!("term {} ({}) is not a usable predicate", e.index, e.predicate);
            CompositePredicate::CannotNegate(e) =>
                format!("term {} ({}) reads call data, so it must not be negated", e.index, e.predicate);
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let terms = self.terms.iter().map(|term| CompositePredicate::Term {
            predicate: term.predicate,
            negate: term.negate,
        });
        // The overload without a gas budget: the predicate uses its default.
        let call = CompositePredicate::setComposition_0Call {
            toolId: tool_id,
            op: self.logic.to_abi(),
            terms: terms.collect(),
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        // Each term is queried through ERC-165.
        200_000 + 150_000 * self.terms.len() as u64
    }

    fn describe(&self) -> Vec<String> {
        let mut lines = vec![format!("{}:", self.logic)];
        lines.extend(self.terms.iter().map(|term| {
            let not = if term.negate { "not " } else { "" };
            format!("  {not}{}", term.predicate)
        }));
        lines
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let op = reader.call(CompositePredicate::getOpCall { toolId: tool_id });
        let terms = reader.call(CompositePredicate::getTermsCall { toolId: tool_id });
        let (op, terms) = tokio::try_join!(op, terms)?;
        let terms = terms.into_iter().map(|term| Term {
            predicate: term.predicate,
            negate: term.negate,
        });
        Ok(Self {
            logic: Logic::from_abi(op).ok_or(ReadError::Invalid)?,
            terms: terms.collect(),
        })
    }
}
