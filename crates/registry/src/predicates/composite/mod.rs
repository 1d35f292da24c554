//! `CompositePredicate`: combines predicates with ALL and ANY.

mod budget;
mod expression;

use alloy_primitives::{Address, U256};
use atr_bindings::CompositePredicate;
use serde::Serialize;

pub use self::{
    budget::{MAX_BUDGET, TermGas, default_term_gas, share_budget},
    expression::{Expression, ExpressionError, MAX_TERMS},
};
use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, reader::to_u64,
};
use crate::{Call, Logic, revert_reason::decode_errors, tool_call::ToolCall};

/// Access if all or any of the clauses grant it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// How the clauses combine. The terms of a clause combine with the other logic.
    pub logic: Logic,
    /// Each clause has at least one term.
    pub clauses: Vec<Vec<Term>>,
    /// Gas of each term, in order across clauses. If empty, the predicate uses its default.
    pub term_gas: Vec<u64>,
}

/// One predicate of a composite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Term {
    pub predicate: Address,
    /// Whether granted and denied are swapped.
    pub negate: bool,
}

impl Configuration {
    /// A composition whose clauses have one term each, with the default stipends.
    #[must_use]
    pub fn flat(logic: Logic, terms: impl IntoIterator<Item = Term>) -> Self {
        Self {
            logic,
            clauses: terms.into_iter().map(|term| vec![term]).collect(),
            term_gas: Vec::new(),
        }
    }

    /// The terms, in order across clauses.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.clauses.iter().flatten()
    }

    /// The predicates of the terms, without duplicates.
    #[must_use]
    pub fn predicates(&self) -> Vec<Address> {
        let mut predicates: Vec<_> = self.terms().map(|term| term.predicate).collect();
        predicates.sort_unstable();
        predicates.dedup();
        predicates
    }

    /// The composition as an expression, for example `(A or B) and not C`. `name` returns the name of a predicate.
    #[must_use]
    pub fn expression(&self, name: impl Fn(Address) -> String) -> String {
        let several = self.clauses.len() > 1;
        let clauses = self.clauses.iter().map(|clause| {
            let terms = clause.iter().map(|term| {
                let not = if term.negate { "not " } else { "" };
                format!("{not}{}", name(term.predicate))
            });
            let text = join(terms, self.logic.other());
            if several && clause.len() > 1 {
                format!("({text})")
            } else {
                text
            }
        });
        join(clauses, self.logic)
    }

    fn is_flat(&self) -> bool {
        self.clauses.iter().all(|clause| clause.len() == 1)
    }
}

fn join(parts: impl Iterator<Item = String>, logic: Logic) -> String {
    let parts: Vec<_> = parts.collect();
    parts.join(match logic {
        Logic::All => " and ",
        Logic::Any => " or ",
    })
}

impl PredicateModule for Configuration {
    fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
        decode_errors! { data;
            CompositePredicate::InvalidOperator(e) => format!("{} is not an operator", e.op);
            CompositePredicate::TooManyTerms(e) => format!("{} terms; the maximum is {}", e.count, e.max);
            CompositePredicate::EmptyClause(e) => format!("clause {} has no terms", e.index);
            CompositePredicate::WrongNumberOfStipends(e) => format!("{} stipends for {} terms", e.entries, e.terms);
            CompositePredicate::InvalidBudget(e) =>
                format!("the terms need {} gas; the maximum is {}", e.budget, e.max);
            CompositePredicate::TermGasTooLow(e) => format!(
                "term {} ({}) needs {} gas, but its stipend is {}", e.index, e.predicate, e.needed, e.termGas
            );
            CompositePredicate::InvalidTerm(e) => format!("term {} ({}) is not a usable predicate", e.index, e.predicate);
            CompositePredicate::CannotNegate(e) =>
                format!("term {} ({}) reads call data, so it must not be negated", e.index, e.predicate);
            CompositePredicate::HasClauses(_) => "the composition has clauses of several terms";
            CompositePredicate::WrongNumberOfEntries(e) =>
                format!("the call data has {} entries for {} terms", e.entries, e.terms);
            CompositePredicate::InvalidEntries(_) => "the call data is not the encoding of one entry per term";
            CompositePredicate::ZeroAccount(_) => "the account is the zero address";
        }
    }
}

impl PredicateConfiguration for Configuration {
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
        let term = |term: &Term| CompositePredicate::Term {
            predicate: term.predicate,
            negate: term.negate,
        };
        let op = self.logic.to_abi();
        // The reference deployment has only `setComposition`.
        if self.is_flat() && self.term_gas.is_empty() {
            let call = CompositePredicate::setCompositionCall {
                toolId: tool_id,
                op,
                terms: self.terms().map(term).collect(),
            };
            return Call::for_tool(predicate, &call, tool_id);
        }
        let clauses = self.clauses.iter();
        let call = CompositePredicate::setClausesCall {
            toolId: tool_id,
            op,
            clauses: clauses
                .map(|clause| clause.iter().map(term).collect())
                .collect(),
            stipends: self.term_gas.iter().copied().map(U256::from).collect(),
        };
        Call::for_tool(predicate, &call, tool_id)
    }

    fn gas_limit(&self) -> u64 {
        // Each term is queried through ERC-165.
        200_000 + 150_000 * self.terms().count() as u64
    }

    fn describe(&self) -> Vec<String> {
        if self.clauses.is_empty() {
            return super::or_empty(Vec::new());
        }
        vec![self.expression(|predicate| predicate.to_string())]
    }

    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError> {
        let op = reader.call(CompositePredicate::getOpCall { toolId: tool_id });
        let (op, clauses) = tokio::try_join!(op, read_clauses(reader, tool_id))?;
        let stipends = reader.call(CompositePredicate::termGasCall { toolId: tool_id });
        let term_gas = match stipends.await {
            Ok(stipends) => stipends.into_iter().map(to_u64).collect::<Result<_, _>>()?,
            // The reference deployment has no stipends per term.
            Err(ReadError::Invalid) => Vec::new(),
            Err(error) => return Err(error),
        };
        let term = |term: CompositePredicate::Term| Term {
            predicate: term.predicate,
            negate: term.negate,
        };
        let clauses = clauses.into_iter();
        Ok(Self {
            logic: Logic::from_abi(op).ok_or(ReadError::Invalid)?,
            clauses: clauses
                .map(|clause| clause.into_iter().map(term).collect())
                .collect(),
            term_gas,
        })
    }
}

/// The clauses, or the terms of a predicate without clauses, as in the reference deployment.
async fn read_clauses(
    reader: &ConfigurationReader<'_>,
    tool_id: U256,
) -> Result<Vec<Vec<CompositePredicate::Term>>, ReadError> {
    let clauses = reader.call(CompositePredicate::getClausesCall { toolId: tool_id });
    let clauses = match clauses.await {
        Err(ReadError::Invalid) => {
            let terms = reader.call(CompositePredicate::getTermsCall { toolId: tool_id });
            terms.await?.into_iter().map(|term| vec![term]).collect()
        }
        clauses => clauses?,
    };
    let count: usize = clauses.iter().map(Vec::len).sum();
    // Entries can share bytes, so the decoded size can exceed that of the return data.
    if count > MAX_READ_TERMS || clauses.iter().any(Vec::is_empty) {
        return Err(ReadError::Invalid);
    }
    Ok(clauses)
}

/// Maximum number of terms that are read: several times what the predicate accepts.
const MAX_READ_TERMS: usize = 256;
