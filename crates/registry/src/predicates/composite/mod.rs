//! `CompositePredicate`: combines predicates with ALL and ANY.

mod budget;
mod expression;
pub(crate) mod formula;
pub(crate) mod parser;
mod terms;

use std::collections::BTreeSet;

use alloy_primitives::{Address, U256};
use atr_bindings::CompositePredicate;
use serde::Serialize;

pub use self::{
    budget::{MAX_BUDGET, TermGas, default_term_gas, share_budget},
    expression::{Expression, ExpressionError, MAX_TERMS},
    parser::SyntaxError,
};
use super::{
    ConfigurationReader, PredicateConfiguration, PredicateModule, ReadError, reader::to_u64,
};
use crate::{Access, Call, Logic, revert_reason::decode_errors, tool_call::ToolCall};

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

    /// The result from those of the predicates, in three-valued logic: `None` is unknown.
    #[must_use]
    pub fn evaluate(&self, access: impl Fn(Address) -> Option<bool>) -> Option<bool> {
        let clauses = self.clauses.iter().map(|clause| {
            let terms = clause
                .iter()
                .map(|term| access(term.predicate).map(|granted| granted != term.negate));
            kleene(self.logic.other(), terms)
        });
        // An empty composition denies, whatever its logic.
        if self.clauses.is_empty() {
            return Some(false);
        }
        kleene(self.logic, clauses)
    }

    /// The results that are possible: each predicate can grant and deny, except those with a `fixed` result.
    #[must_use]
    pub fn possible_results(&self, fixed: impl Fn(Address) -> Option<Access>) -> BTreeSet<Access> {
        let mut free = self.predicates();
        free.retain(|predicate| fixed(*predicate).is_none());
        // Compositions of other contracts can be larger. What is not tried is unknown.
        free.truncate(MAX_TERMS);
        let results = (0_u32..1 << free.len()).map(|granted| {
            self.evaluate(|predicate| match fixed(predicate) {
                Some(Access::Granted) => Some(true),
                Some(Access::Denied) => Some(false),
                Some(Access::Unknown) => None,
                None => {
                    let index = free.iter().position(|other| *other == predicate);
                    index.map(|index| granted & (1 << index) != 0)
                }
            })
        });
        let access = |result| match result {
            Some(true) => Access::Granted,
            Some(false) => Access::Denied,
            None => Access::Unknown,
        };
        results.map(access).collect()
    }

    fn is_flat(&self) -> bool {
        self.clauses.iter().all(|clause| clause.len() == 1)
    }
}

/// Combines results in three-valued logic.
pub(crate) fn kleene(
    logic: Logic,
    results: impl IntoIterator<Item = Option<bool>>,
) -> Option<bool> {
    // The result that decides: granted for ANY, denied for ALL.
    let decisive = logic == Logic::Any;
    let mut combined = Some(!decisive);
    for result in results {
        match result {
            Some(granted) if granted == decisive => return Some(decisive),
            Some(_) => {}
            None => combined = None,
        }
    }
    combined
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_and_tautologies_are_recognized() {
        use Access::{Denied, Granted, Unknown};
        let (a, b) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let term = |predicate, negate| Term { predicate, negate };
        let results = |logic, terms: &[Term], of_b: Option<Access>| {
            let composition = Configuration::flat(logic, terms.iter().copied());
            let fixed = |predicate| of_b.filter(|_| predicate == b);
            composition
                .possible_results(fixed)
                .into_iter()
                .collect::<Vec<_>>()
        };
        let both = [term(a, false), term(a, true)];
        assert_eq!(results(Logic::All, &both, None), [Denied]);
        assert_eq!(results(Logic::Any, &both, None), [Granted]);
        let different = [term(a, false), term(b, true)];
        assert_eq!(results(Logic::All, &different, None), [Granted, Denied]);
        assert_eq!(results(Logic::All, &different, Some(Granted)), [Denied]);
        assert_eq!(
            results(Logic::All, &different, Some(Unknown)),
            [Denied, Unknown]
        );
        assert_eq!(results(Logic::Any, &different, Some(Denied)), [Granted]);
        for logic in [Logic::Any, Logic::All] {
            assert_eq!(results(logic, &[], None), [Denied]);
        }
        let many: Vec<_> = (0..=255)
            .map(|byte| term(Address::repeat_byte(byte), false))
            .collect();
        assert_eq!(results(Logic::All, &many, None), [Denied, Unknown]);
    }
}
