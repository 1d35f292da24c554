//! All or any of other predicates, each as it is or negated.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID,
    CompositePredicate::{
        CannotNegate, CompositePredicateCalls as Calls, CompositionSet, InvalidBudget,
        InvalidOperator, InvalidTerm, Term, TermGasSet, TooManyTerms,
    },
    ERC165_ID,
    IAccessPredicate::{getRequirementsCall, hasAccessCall},
    READS_CALL_DATA_ID,
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, negated_marker, no_answer},
    requirements::unknown,
    settings::{Settings, require_creator},
    term_data::{data_for, per_term_selector},
};
use crate::model::{Answer, Around, Registry, Reply};

const ANY: u8 = 1;
const MAX_TERMS: usize = 8;
const MAX_BUDGET: u64 = 150_000;

/// A term, and whether it claimed to read call data when it was set.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) term: Term,
    pub(super) reads_data: bool,
}

#[derive(Clone, Debug)]
struct Composition {
    op: u8,
    parts: Vec<Part>,
    term_gas: U256,
}

/// `CompositePredicate`.
#[derive(Clone, Debug)]
pub struct Composite(Settings<Composition>);

impl Composite {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }

    fn compose(
        &mut self,
        (id, op, terms, budget): (U256, u8, Vec<Term>, U256),
        from: Address,
        registry: &Registry,
        around: Around<'_>,
    ) -> Ended {
        require_creator(registry, id, from)?;
        if op > ANY {
            return Err(Reply::reverts(&InvalidOperator { op }));
        }
        let count = U256::from(terms.len());
        if terms.len() > MAX_TERMS {
            let max = U256::from(MAX_TERMS);
            return Err(Reply::reverts(&TooManyTerms { count, max }));
        }
        let max = U256::from(MAX_BUDGET);
        if budget > max || budget < U256::from(MAX_TERMS) {
            return Err(Reply::reverts(&InvalidBudget { budget, max }));
        }
        let mut parts = Vec::new();
        for (index, term) in terms.iter().enumerate() {
            parts.push(self.check(U256::from(index), term, around)?);
        }
        let term_gas = budget.checked_div(count).unwrap_or_default();
        self.0.set(
            id,
            Composition {
                op,
                parts,
                term_gas,
            },
        );

        let by = self.0.predicate;
        let set = CompositionSet {
            toolId: id,
            op,
            terms,
        };
        let mut reply = logs(by, &set);
        let gas = TermGasSet {
            toolId: id,
            termGas: term_gas,
        };
        reply.logs.extend(logs(by, &gas).logs);
        Ok(reply)
    }

    fn check(&self, index: U256, term: &Term, around: Around<'_>) -> Result<Part, Reply> {
        let predicate = term.predicate;
        let claims = |interface| around.claims(predicate, interface);
        let speaks_erc165 = claims(ERC165_ID);
        let is_missing = predicate == self.0.predicate || !around.has_code(predicate);
        if is_missing || (speaks_erc165 && !claims(ACCESS_PREDICATE_ID)) {
            return Err(Reply::reverts(&InvalidTerm { index, predicate }));
        }
        let reads_data = speaks_erc165 && claims(READS_CALL_DATA_ID);
        if reads_data && term.negate {
            return Err(Reply::reverts(&CannotNegate { index, predicate }));
        }
        Ok(Part {
            term: term.clone(),
            reads_data,
        })
    }
}

impl Predicate for Composite {
    fn name(&self) -> &'static str {
        "CompositePredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    /// Kleene: all is the least answer, any the greatest. No terms are a no.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let Composition { op, parts, .. } = self.0.require(id)?;
        if parts.is_empty() {
            return Ok(false);
        }
        let data = data_for(parts, data)?;
        let ask = |(part, data): (&Part, Option<Vec<u8>>)| {
            let Some(data) = data else {
                return Answer::Unknown;
            };
            let question = hasAccessCall {
                toolId: id,
                account,
                data: data.into(),
            };
            let answer = around.ask_bool(part.term.predicate, &question.abi_encode());
            if part.term.negate {
                negate(answer)
            } else {
                answer
            }
        };
        let answers: Vec<Answer> = parts.iter().zip(data).map(ask).collect();
        let decisive = match *op {
            ANY => answers.iter().max(),
            _ => answers.iter().min(),
        };
        match decisive {
            Some(Answer::Yes) => Ok(true),
            Some(Answer::No) | None => Ok(false),
            Some(Answer::Unknown) => {
                let last = answers
                    .iter()
                    .rposition(|answer| *answer == Answer::Unknown);
                let silent = last.map(|index| parts[index].term.predicate);
                Err(no_answer(silent.unwrap_or_default()))
            }
        }
    }

    fn requirements(&self, id: U256, around: Around<'_>) -> Result<Requirements, Reply> {
        let Composition { op, parts, .. } = self.0.require(id)?;
        if parts.is_empty() {
            return Ok(Requirements::nobody());
        }
        let any = *op == ANY;
        let describe = |part: &Part| {
            let question = getRequirementsCall { toolId: id }.abi_encode();
            let returned = around.ask(part.term.predicate, &question);
            match returned.and_then(|bytes| Requirements::told(&bytes)) {
                None => vec![unknown()],
                Some(told) if part.term.negate => vec![told.negated()],
                Some(told) => told.within(any),
            }
        };
        Ok(Requirements {
            entries: parts.iter().flat_map(describe).collect(),
            any,
        })
    }

    fn view(&self, data: &[u8], around: Around<'_>) -> Option<Ended> {
        let found = |id| self.0.find(id);
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::ALL(_) => U256::ZERO.abi_encode(),
            Calls::ANY(_) => U256::from(ANY).abi_encode(),
            Calls::MAX_TERMS(_) => U256::from(MAX_TERMS).abi_encode(),
            Calls::MAX_BUDGET(_) => U256::from(MAX_BUDGET).abi_encode(),
            Calls::GAS_PER_INTROSPECTION(_) => U256::from(300_000).abi_encode(),
            Calls::PER_TERM(_) => per_term_selector().abi_encode(),
            Calls::NEGATED(_) => negated_marker().abi_encode(),
            Calls::getOp(asked) => {
                U256::from(found(asked.toolId).map_or(0, |set| set.op)).abi_encode()
            }
            Calls::getTerms(asked) => {
                let parts = found(asked.toolId).map_or(&[][..], |set| &set.parts);
                let terms: Vec<Term> = parts.iter().map(|part| part.term.clone()).collect();
                terms.abi_encode()
            }
            Calls::termGas(asked) => found(asked.toolId)
                .map_or(U256::ZERO, |set| set.term_gas)
                .abi_encode(),
            Calls::introspect(asked) => {
                let question = getRequirementsCall {
                    toolId: asked.toolId,
                }
                .abi_encode();
                let returned = around.ask(asked.predicate, &question)?;
                Requirements::told(&returned)?.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        around: Around<'_>,
    ) -> Ended {
        let composition = match Calls::abi_decode_validate(data) {
            Ok(Calls::setComposition_0(call)) => {
                (call.toolId, call.op, call.terms, U256::from(MAX_BUDGET))
            }
            Ok(Calls::setComposition_1(call)) => (call.toolId, call.op, call.terms, call.budget),
            _ => return Err(Reply::reverts_silently()),
        };
        self.compose(composition, from, registry, around)
    }
}

const fn negate(answer: Answer) -> Answer {
    match answer {
        Answer::No => Answer::Yes,
        Answer::Unknown => Answer::Unknown,
        Answer::Yes => Answer::No,
    }
}
