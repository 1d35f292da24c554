//! All or any of other predicates, each as it is or negated.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID, AccessRequirement,
    CompositePredicate::{
        ALLCall, ANYCall, CannotNegate, CompositionSet, GAS_PER_INTROSPECTIONCall, InvalidBudget,
        InvalidOperator, InvalidTerm, MAX_BUDGETCall, MAX_TERMSCall, NEGATEDCall, PER_TERMCall,
        Term, TermGasSet, TooManyTerms, getOpCall, getTermsCall, introspectCall, termGasCall,
    },
    ERC165_ID,
    IAccessPredicate::getRequirementsCall,
    READS_CALL_DATA_ID,
};

use super::{
    Asked, Ended, Predicate, Requirements, Slots,
    composition::{Composition, MAX_BUDGET, Part, read},
    predicate::{logs, negated_marker, no_answer},
    requirements::unknown,
    settings::{Settings, require_creator},
    term_data::per_term_selector,
};
use crate::model::{
    Answer, Around, Registry, Reply,
    calldata::{Arguments, clean_address, clean_bool},
    thirst,
};

const ANY: u8 = 1;
const MAX_TERMS: usize = 8;

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
        (id, op, words, budget): (U256, u8, Vec<B256>, U256),
        from: Address,
        registry: &Registry,
        around: Around<'_>,
    ) -> Ended {
        require_creator(registry, id, from)?;
        if op > ANY {
            return Err(Reply::reverts(&InvalidOperator { op }));
        }
        let count = U256::from(words.len() / 2);
        if words.len() / 2 > MAX_TERMS {
            let max = U256::from(MAX_TERMS);
            return Err(Reply::reverts(&TooManyTerms { count, max }));
        }
        let max = U256::from(MAX_BUDGET);
        if budget > max || budget < U256::from(MAX_TERMS) {
            return Err(Reply::reverts(&InvalidBudget { budget, max }));
        }
        let mut parts = Vec::new();
        for (index, words) in words.chunks_exact(2).enumerate() {
            parts.push(self.check(U256::from(index), [words[0], words[1]], around)?);
        }
        let terms = parts.iter().map(|part| part.term.clone()).collect();
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

    /// The predicate is read before it is asked anything, the negation after.
    fn check(&self, index: U256, term: [B256; 2], around: Around<'_>) -> Result<Part, Reply> {
        let predicate = clean_address(term[0]).ok_or_else(Reply::reverts_silently)?;
        let claims = |interface| around.claims(predicate, interface);
        let speaks_erc165 = claims(ERC165_ID);
        let is_missing = predicate == self.0.predicate || !around.has_code(predicate);
        if is_missing || (speaks_erc165 && !claims(ACCESS_PREDICATE_ID)) {
            return Err(Reply::reverts(&InvalidTerm { index, predicate }));
        }
        let reads_data = speaks_erc165 && claims(READS_CALL_DATA_ID);
        let negate = clean_bool(term[1]).ok_or_else(Reply::reverts_silently)?;
        if reads_data && negate {
            return Err(Reply::reverts(&CannotNegate { index, predicate }));
        }
        Ok(Part {
            term: Term { predicate, negate },
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
        let set = self.0.require(id)?;
        let Composition { op, parts, .. } = set;
        if parts.is_empty() {
            return Ok(false);
        }
        let questions = set.questions(id, account, data)?;
        let ask = |(part, question): (&Part, Option<Vec<u8>>)| {
            let Some(question) = question else {
                return Answer::Unknown;
            };
            let answer = around.ask_bool(part.term.predicate, &question);
            if part.term.negate {
                negate(answer)
            } else {
                answer
            }
        };
        let answers: Vec<Answer> = parts.iter().zip(questions).map(ask).collect();
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

    /// As its manual has it.
    fn gas_needed(&self, id: U256, _: Address, data: &[u8], _: Around<'_>) -> u64 {
        let of_terms = self.0.find(id).map_or(0, |set| {
            set.parts.len() as u64 * (set.term_gas.saturating_to::<u64>() + 3_500)
        });
        let used = thirst::of_data(data) + 2_500 + of_terms;
        used + used / 63
    }

    fn terms(&self, id: U256, account: Address, data: &[u8]) -> Vec<Asked> {
        let Some(set) = self.0.find(id) else {
            return Vec::new();
        };
        let questions = set.questions(id, account, data).unwrap_or_default();
        let each = set.parts.iter().zip(questions);
        each.map(|(part, question)| Asked {
            whom: part.term.predicate,
            gas: set.term_gas.saturating_to(),
            question,
        })
        .collect()
    }

    fn told_by_terms(
        &self,
        id: U256,
        around: Around<'_>,
    ) -> Vec<(Address, Vec<AccessRequirement>)> {
        let Some(Composition { op, parts, .. }) = self.0.find(id) else {
            return Vec::new();
        };
        let describe = |part: &Part| {
            let question = getRequirementsCall { toolId: id }.abi_encode();
            let returned = around.ask(part.term.predicate, &question);
            let entries = match returned.and_then(|bytes| Requirements::told(&bytes)) {
                None => vec![unknown()],
                Some(told) if part.term.negate => vec![told.negated()],
                Some(told) => told.within(*op == ANY),
            };
            (part.term.predicate, entries)
        };
        parts.iter().map(describe).collect()
    }

    fn requirements(&self, id: U256, around: Around<'_>) -> Result<Requirements, Reply> {
        let Composition { op, .. } = self.0.require(id)?;
        let told = self.told_by_terms(id, around);
        if told.is_empty() {
            return Ok(Requirements::nobody());
        }
        Ok(Requirements {
            entries: told.into_iter().flat_map(|(_, entries)| entries).collect(),
            any: *op == ANY,
        })
    }

    fn slots(&self) -> Slots {
        let each = self.0.slots();
        each.map(|(slot, set)| (slot, set.stored())).collect()
    }

    fn view(&self, data: &[u8], around: Around<'_>) -> Option<Ended> {
        let found = |id| self.0.find(id);
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            ALLCall::SELECTOR => U256::ZERO.abi_encode(),
            ANYCall::SELECTOR => U256::from(ANY).abi_encode(),
            MAX_TERMSCall::SELECTOR => U256::from(MAX_TERMS).abi_encode(),
            MAX_BUDGETCall::SELECTOR => U256::from(MAX_BUDGET).abi_encode(),
            GAS_PER_INTROSPECTIONCall::SELECTOR => U256::from(thirst::INTROSPECTION).abi_encode(),
            PER_TERMCall::SELECTOR => per_term_selector().abi_encode(),
            NEGATEDCall::SELECTOR => negated_marker().abi_encode(),
            getOpCall::SELECTOR => {
                U256::from(found(arguments.number(0)?).map_or(0, |set| set.op)).abi_encode()
            }
            getTermsCall::SELECTOR => {
                let parts = found(arguments.number(0)?).map_or(&[][..], |set| &set.parts);
                let terms: Vec<Term> = parts.iter().map(|part| part.term.clone()).collect();
                terms.abi_encode()
            }
            termGasCall::SELECTOR => found(arguments.number(0)?)
                .map_or(U256::ZERO, |set| set.term_gas)
                .abi_encode(),
            introspectCall::SELECTOR => {
                let (predicate, id) = (arguments.address(0)?, arguments.number(1)?);
                let question = getRequirementsCall { toolId: id }.abi_encode();
                let returned = around.ask(predicate, &question)?;
                Requirements::told(&returned)?.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    /// Each term is asked three things first.
    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        let (_, _, words, _) = read(data)?;
        let probes = 3 * (words.len() / 2) as u64;
        Some(thirst::of_setting(data) + thirst::of_list(data) + probes * thirst::PROBE)
    }

    fn set(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        around: Around<'_>,
    ) -> Ended {
        let composition = read(data).ok_or_else(Reply::reverts_silently)?;
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
