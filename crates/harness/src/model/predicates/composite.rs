//! Combines other predicates with ALL or ANY, clauses and negation.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID,
    CompositePredicate::{
        ALLCall, ANYCall, CannotNegate, ClausesSet, CompositionSet, GAS_PER_INTROSPECTIONCall,
        HasClauses, InvalidAccessPredicate, InvalidBudget, InvalidOperator, InvalidTerm,
        MAX_BUDGETCall, MAX_TERMS_PER_COMPOSITIONCall, NEGATEDCall, PER_TERMCall, Term, TermGasSet,
        TermGasTooLow, TooManyTerms, WrongNumberOfStipends, ZeroAccount, gasNeededCall,
        getClausesCall, getOpCall, getTermsCall, introspectCall, termGasCall,
    },
    ERC165_ID,
    IAccessPredicate::getRequirementsCall,
    READS_CALL_DATA_ID,
};

use super::{
    ClauseRequirements, ModelResult, Predicate, Requirements, Slots, TermCall,
    composition::{Composition, Input, Part, read},
    predicate::{call_failed, negated_marker},
    requirements::unknown,
    term_data::{data_for, per_term_selector},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::model::{
    Access, CallResult, Context, Registry, calldata::Arguments, gas::GAS_PER_INTROSPECTION,
};

const ANY: u8 = 1;
const MAX_TERMS: usize = 8;
const MAX_BUDGET: u64 = 156_000;
const MIN_TERM_GAS: u64 = 3_000;

/// `CompositePredicate`.
#[derive(Clone, Debug)]
pub struct Composite(ToolConfigs<Composition>);

impl Composite {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }

    /// Validates the terms and chooses their stipends.
    fn compose(&self, input: &Input, context: Context<'_>) -> Result<Composition, CallResult> {
        let clauses = input.clauses()?;
        let op = input.op;
        if op > ANY {
            return Err(CallResult::reverts(&InvalidOperator { op }));
        }
        let terms: usize = clauses.iter().map(Vec::len).sum();
        let count = U256::from(terms);
        if terms > MAX_TERMS {
            let max = U256::from(MAX_TERMS);
            return Err(CallResult::reverts(&TooManyTerms { count, max }));
        }
        let entries = input.stipends.len();
        if entries != 0 && entries != terms {
            return Err(CallResult::reverts(&WrongNumberOfStipends {
                entries: U256::from(entries),
                terms: count,
            }));
        }
        let max = U256::from(MAX_BUDGET);
        let mut total = U256::ZERO;
        let mut stipends = Vec::new();
        let mut reads_data = Vec::new();
        for (index, term) in clauses.iter().flatten().enumerate() {
            reads_data.push(self.reads_data(U256::from(index), term, context)?);
            let predicate = term.predicate;
            let needed = gas_needed_by(predicate, input.id, context);
            let stipend = input.stipends.get(index).copied().unwrap_or(needed);
            if stipend < needed {
                return Err(CallResult::reverts(&TermGasTooLow {
                    index: U256::from(index),
                    predicate,
                    needed,
                    termGas: stipend,
                }));
            }
            if stipend > max {
                let budget = stipend;
                return Err(CallResult::reverts(&InvalidBudget { budget, max }));
            }
            total += stipend;
            stipends.push(stipend);
        }
        if total > max {
            let budget = total;
            return Err(CallResult::reverts(&InvalidBudget { budget, max }));
        }
        if entries == 0 {
            let share = (max - total).checked_div(count).unwrap_or_default();
            stipends.iter_mut().for_each(|stipend| *stipend += share);
        }
        let mut rest = stipends.into_iter().zip(reads_data);
        let clause = |terms: Vec<Term>| {
            let parts = terms.into_iter().zip(&mut rest);
            let part = |(term, (stipend, reads_data)): (Term, (U256, bool))| Part {
                term,
                reads_data,
                stipend: stipend.to(),
            };
            parts.map(part).collect()
        };
        let clauses = clauses.into_iter().map(clause).collect();
        Ok(Composition { op, clauses })
    }

    /// Whether a valid term supports `IReadsCallData`.
    fn reads_data(
        &self,
        index: U256,
        term: &Term,
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let Term { predicate, negate } = *term;
        if predicate == self.0.predicate || !context.has_code(predicate) {
            return Err(CallResult::reverts(&InvalidTerm { index, predicate }));
        }
        let supports = |interface| context.supports(predicate, interface);
        if !supports(ERC165_ID) {
            return Ok(false);
        }
        if !supports(ACCESS_PREDICATE_ID) {
            return Err(CallResult::reverts(&InvalidAccessPredicate { predicate }));
        }
        let reads_data = supports(READS_CALL_DATA_ID);
        if reads_data && negate {
            return Err(CallResult::reverts(&CannotNegate { index, predicate }));
        }
        Ok(reads_data)
    }
}

/// What the term reports as `gasNeeded`, at least the minimum.
fn gas_needed_by(predicate: Address, id: U256, context: Context<'_>) -> U256 {
    let call = gasNeededCall { toolId: id }.abi_encode();
    let reported = context.call_word(predicate, &call).unwrap_or_default();
    reported.max(U256::from(MIN_TERM_GAS))
}

/// The decisive result of a list, and the position of the term or clause that makes it unknown: the last one.
fn decide(any: bool, results: &[Access]) -> Access {
    let decisive = match any {
        true => results.iter().max(),
        false => results.iter().min(),
    };
    decisive.copied().unwrap_or(Access::Denied)
}

impl Predicate for Composite {
    fn name(&self) -> &'static str {
        "CompositePredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    /// Kleene logic: ALL is the minimum, ANY the maximum, and a clause has the other operator. No terms deny.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let set = self.0.require(id)?;
        if set.clauses.is_empty() {
            return Ok(false);
        }
        if account.is_zero() {
            return Err(CallResult::reverts(&ZeroAccount {}));
        }
        let mut calls = set.calls(id, account, data)?.into_iter();
        let any = set.op == ANY;
        let mut results = Vec::new();
        let mut failed = Address::ZERO;
        for clause in &set.clauses {
            let check = |(part, call): (&Part, Option<Vec<u8>>)| {
                let access = call.map_or(Access::Unknown, |call| {
                    context.call_bool(part.term.predicate, &call)
                });
                match part.term.negate {
                    true => access.negated(),
                    false => access,
                }
            };
            let terms: Vec<Access> = clause.iter().zip(&mut calls).map(check).collect();
            let result = decide(!any, &terms);
            if result == Access::Unknown {
                let last = terms.iter().rposition(|access| *access == result);
                failed = last.map_or(failed, |index| clause[index].term.predicate);
            }
            results.push(result);
        }
        match decide(any, &results) {
            Access::Granted => Ok(true),
            Access::Denied => Ok(false),
            Access::Unknown => Err(call_failed(failed)),
        }
    }

    fn is_composite(&self) -> bool {
        true
    }

    fn terms(&self, id: U256, data: &[u8]) -> Vec<TermCall> {
        let Some(set) = self.0.get(id) else {
            return Vec::new();
        };
        let parts: Vec<_> = set.parts().collect();
        let data = data_for(&parts, data).unwrap_or_default();
        let each = parts.into_iter().zip(data);
        each.map(|(part, data)| TermCall {
            predicate: part.term.predicate,
            gas: part.stipend,
            data: data.unwrap_or_default(),
        })
        .collect()
    }

    fn requirements_by_clause(&self, id: U256, context: Context<'_>) -> Vec<ClauseRequirements> {
        let Some(Composition { op, clauses }) = self.0.get(id) else {
            return Vec::new();
        };
        let any = *op == ANY;
        let describe = |part: &Part, any| {
            let call = getRequirementsCall { toolId: id }.abi_encode();
            let returned = context.call(part.term.predicate, &call);
            let entries = match returned.and_then(|bytes| Requirements::decode(&bytes)) {
                None => vec![unknown()],
                Some(found) if part.term.negate => vec![found.negated()],
                Some(found) => found.inline_or_nest(any),
            };
            (part.term.predicate, entries)
        };
        let clause = |clause: &Vec<Part>| {
            let inner = if clause.len() == 1 { any } else { !any };
            let terms = clause.iter().map(|part| describe(part, inner)).collect();
            ClauseRequirements { terms, any }
        };
        clauses.iter().map(clause).collect()
    }

    fn requirements(&self, id: U256, context: Context<'_>) -> Result<Requirements, CallResult> {
        let Composition { op, .. } = self.0.require(id)?;
        let by_clause = self.requirements_by_clause(id, context);
        if by_clause.is_empty() {
            return Ok(Requirements::always_denied());
        }
        let entries = by_clause
            .iter()
            .flat_map(|clause| clause.entries(|_| false));
        Ok(Requirements {
            entries: entries.collect(),
            any: *op == ANY,
        })
    }

    fn slots(&self) -> Slots {
        self.0.slots(Composition::stored)
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let empty = Composition {
            op: 0,
            clauses: Vec::new(),
        };
        let id = arguments.number(0);
        let found = || Some(self.0.get(id?).unwrap_or(&empty));
        let returned = match selector {
            ALLCall::SELECTOR => U256::ZERO.abi_encode(),
            ANYCall::SELECTOR => U256::from(ANY).abi_encode(),
            MAX_TERMS_PER_COMPOSITIONCall::SELECTOR => U256::from(MAX_TERMS).abi_encode(),
            MAX_BUDGETCall::SELECTOR => U256::from(MAX_BUDGET).abi_encode(),
            GAS_PER_INTROSPECTIONCall::SELECTOR => U256::from(GAS_PER_INTROSPECTION).abi_encode(),
            PER_TERMCall::SELECTOR => per_term_selector().abi_encode(),
            NEGATEDCall::SELECTOR => negated_marker().abi_encode(),
            getOpCall::SELECTOR => U256::from(found()?.op).abi_encode(),
            getTermsCall::SELECTOR => match found()?.flat_terms() {
                Some(terms) => terms.abi_encode(),
                None => return Some(Err(CallResult::reverts(&HasClauses { toolId: id? }))),
            },
            getClausesCall::SELECTOR => found()?.clauses_of_terms().abi_encode(),
            termGasCall::SELECTOR => found()?.stipends().abi_encode(),
            gasNeededCall::SELECTOR => match self.0.require(id?) {
                Ok(set) => U256::from(set.gas_needed()).abi_encode(),
                Err(revert) => return Some(Err(revert)),
            },
            introspectCall::SELECTOR => {
                let (predicate, id) = (arguments.address(0)?, arguments.number(1)?);
                let call = getRequirementsCall { toolId: id }.abi_encode();
                let returned = context.call(predicate, &call)?;
                Requirements::decode(&returned)?.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        context: Context<'_>,
    ) -> ModelResult {
        let input = read(data).ok_or_else(CallResult::reverts_without_data)?;
        let (id, op) = (input.id, input.op);
        require_creator(registry, id, from)?;
        let set = self.compose(&input, context)?;
        let event = match set.flat_terms() {
            Some(terms) => CompositionSet {
                toolId: id,
                op,
                terms,
            }
            .encode_log_data(),
            None => ClausesSet {
                toolId: id,
                op,
                clauses: set.clauses_of_terms(),
            }
            .encode_log_data(),
        };
        let gas = TermGasSet {
            toolId: id,
            termGas: set.stipends(),
        };
        Ok(self.0.set(id, set, vec![event, gas.encode_log_data()]))
    }
}
