//! Combines other predicates with ALL or ANY and negation.

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
    ModelResult, Predicate, Requirements, Slots, TermCall,
    composition::{Composition, MAX_BUDGET, Part, read},
    predicate::{emits, negated_marker, no_answer},
    requirements::unknown,
    term_data::{data_for, per_term_selector},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::model::{
    Access, CallResult, Context, Registry,
    calldata::{Arguments, clean_address, clean_bool},
    gas::GAS_PER_INTROSPECTION,
};

const ANY: u8 = 1;
const MAX_TERMS: usize = 8;

/// `CompositePredicate`.
#[derive(Clone, Debug)]
pub struct Composite(ToolConfigs<Composition>);

impl Composite {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }

    fn compose(
        &mut self,
        (id, op, words, budget): (U256, u8, Vec<B256>, U256),
        from: Address,
        registry: &Registry,
        context: Context<'_>,
    ) -> ModelResult {
        require_creator(registry, id, from)?;
        if op > ANY {
            return Err(CallResult::reverts(&InvalidOperator { op }));
        }
        let count = U256::from(words.len() / 2);
        if words.len() / 2 > MAX_TERMS {
            let max = U256::from(MAX_TERMS);
            return Err(CallResult::reverts(&TooManyTerms { count, max }));
        }
        let max = U256::from(MAX_BUDGET);
        if budget > max || budget < U256::from(MAX_TERMS) {
            return Err(CallResult::reverts(&InvalidBudget { budget, max }));
        }
        let mut parts = Vec::new();
        for (index, words) in words.chunks_exact(2).enumerate() {
            parts.push(self.check(U256::from(index), [words[0], words[1]], context)?);
        }
        let terms = parts.iter().map(|part| part.term.clone()).collect();
        let term_gas = budget.checked_div(count).unwrap_or_default();
        self.0.insert(
            id,
            Composition {
                op,
                parts,
                term_gas,
            },
        );

        let emitter = self.0.predicate;
        let set = CompositionSet {
            toolId: id,
            op,
            terms,
        };
        let mut result = emits(emitter, &set);
        let gas = TermGasSet {
            toolId: id,
            termGas: term_gas,
        };
        result.logs.extend(emits(emitter, &gas).logs);
        Ok(result)
    }

    /// Decodes the address before the probes and the negation after them, like Solidity.
    fn check(
        &self,
        index: U256,
        term: [B256; 2],
        context: Context<'_>,
    ) -> Result<Part, CallResult> {
        let predicate = clean_address(term[0]).ok_or_else(CallResult::reverts_without_data)?;
        let supports = |interface| context.supports(predicate, interface);
        let has_erc165 = supports(ERC165_ID);
        let is_missing = predicate == self.0.predicate || !context.has_code(predicate);
        if is_missing || (has_erc165 && !supports(ACCESS_PREDICATE_ID)) {
            return Err(CallResult::reverts(&InvalidTerm { index, predicate }));
        }
        let reads_data = has_erc165 && supports(READS_CALL_DATA_ID);
        let negate = clean_bool(term[1]).ok_or_else(CallResult::reverts_without_data)?;
        if reads_data && negate {
            return Err(CallResult::reverts(&CannotNegate { index, predicate }));
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

    /// Kleene logic: ALL is the minimum, ANY the maximum. No terms deny.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let set = self.0.require(id)?;
        let Composition { op, parts, .. } = set;
        if parts.is_empty() {
            return Ok(false);
        }
        let calls = set.calls(id, account, data)?;
        let check = |(part, call): (&Part, Option<Vec<u8>>)| {
            let Some(call) = call else {
                return Access::Unknown;
            };
            let access = context.call_bool(part.term.predicate, &call);
            if part.term.negate {
                access.negated()
            } else {
                access
            }
        };
        let results: Vec<Access> = parts.iter().zip(calls).map(check).collect();
        let decisive = match *op {
            ANY => results.iter().max(),
            _ => results.iter().min(),
        };
        match decisive {
            Some(Access::Granted) => Ok(true),
            Some(Access::Denied) | None => Ok(false),
            Some(Access::Unknown) => {
                let is_unknown = |access: &Access| *access == Access::Unknown;
                let last = results.iter().rposition(is_unknown);
                let failed = last.map(|index| parts[index].term.predicate);
                Err(no_answer(failed.unwrap_or_default()))
            }
        }
    }

    fn is_composite(&self) -> bool {
        true
    }

    fn terms(&self, id: U256, data: &[u8]) -> Vec<TermCall> {
        let Some(set) = self.0.get(id) else {
            return Vec::new();
        };
        let data = data_for(&set.parts, data).unwrap_or_default();
        let each = set.parts.iter().zip(data);
        each.map(|(part, data)| TermCall {
            predicate: part.term.predicate,
            gas: set.term_gas.saturating_to(),
            data: data.unwrap_or_default(),
        })
        .collect()
    }

    fn requirements_by_term(
        &self,
        id: U256,
        context: Context<'_>,
    ) -> Vec<(Address, Vec<AccessRequirement>)> {
        let Some(Composition { op, parts, .. }) = self.0.get(id) else {
            return Vec::new();
        };
        let describe = |part: &Part| {
            let call = getRequirementsCall { toolId: id }.abi_encode();
            let returned = context.call(part.term.predicate, &call);
            let entries = match returned.and_then(|bytes| Requirements::decode(&bytes)) {
                None => vec![unknown()],
                Some(found) if part.term.negate => vec![found.negated()],
                Some(found) => found.inline_or_nest(*op == ANY),
            };
            (part.term.predicate, entries)
        };
        parts.iter().map(describe).collect()
    }

    fn requirements(&self, id: U256, context: Context<'_>) -> Result<Requirements, CallResult> {
        let Composition { op, .. } = self.0.require(id)?;
        let by_term = self.requirements_by_term(id, context);
        if by_term.is_empty() {
            return Ok(Requirements::always_denied());
        }
        Ok(Requirements {
            entries: by_term
                .into_iter()
                .flat_map(|(_, entries)| entries)
                .collect(),
            any: *op == ANY,
        })
    }

    fn slots(&self) -> Slots {
        self.0.slots(Composition::stored)
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let found = |id| self.0.get(id);
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            ALLCall::SELECTOR => U256::ZERO.abi_encode(),
            ANYCall::SELECTOR => U256::from(ANY).abi_encode(),
            MAX_TERMSCall::SELECTOR => U256::from(MAX_TERMS).abi_encode(),
            MAX_BUDGETCall::SELECTOR => U256::from(MAX_BUDGET).abi_encode(),
            GAS_PER_INTROSPECTIONCall::SELECTOR => U256::from(GAS_PER_INTROSPECTION).abi_encode(),
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
        let composition = read(data).ok_or_else(CallResult::reverts_without_data)?;
        self.compose(composition, from, registry, context)
    }
}
