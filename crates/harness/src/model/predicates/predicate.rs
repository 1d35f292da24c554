//! The interface of a predicate model.

use std::fmt;

use alloy_primitives::{Address, FixedBytes, Log, U256, keccak256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID, AccessRequirement,
    CompositePredicate::{CannotBeNegated, NoAnswer},
    CompositePredicate::{REGISTRYCall, supportsInterfaceCall, versionCall},
    ERC165_ID,
    IAccessPredicate::{getRequirementsCall, hasAccessCall, nameCall},
    READS_CALL_DATA_ID,
};

use super::{Requirements, Slots};
use crate::{
    Outcome,
    model::{CallResult, Context, Registry, calldata::Arguments},
};

/// The result of a call; the error is a revert.
pub type ModelResult = Result<CallResult, CallResult>;

/// Clones a boxed model.
pub trait BoxClone {
    /// A boxed copy.
    fn box_clone(&self) -> Box<dyn Predicate>;
}

impl<T: Predicate + Clone + 'static> BoxClone for T {
    fn box_clone(&self) -> Box<dyn Predicate> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Predicate> {
    fn clone(&self) -> Self {
        (**self).box_clone()
    }
}

/// The call that a composite makes to one of its terms.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct TermCall {
    pub predicate: Address,
    /// The stipend.
    pub gas: u64,
    pub data: Vec<u8>,
}

/// A model of a predicate. `name`, `version`, `REGISTRY` and `supportsInterface` are derived from it.
pub trait Predicate: fmt::Debug + BoxClone {
    /// `name()`.
    fn name(&self) -> &'static str;

    /// `REGISTRY()`; none for predicates without configuration.
    fn registry(&self) -> Option<Address> {
        None
    }

    /// Whether the predicate supports `IReadsCallData`.
    fn reads_data(&self) -> bool {
        false
    }

    /// `hasAccess`.
    ///
    /// # Errors
    ///
    /// The revert, if the result is unknown.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult>;

    /// The stipends of the calls that `hasAccess` makes to tokens.
    fn stipends(&self, _id: U256) -> Vec<u64> {
        Vec::new()
    }

    /// Whether the predicate calls other predicates.
    fn is_composite(&self) -> bool {
        false
    }

    /// The calls that `hasAccess` makes to other predicates.
    fn terms(&self, _id: U256, _data: &[u8]) -> Vec<TermCall> {
        Vec::new()
    }

    /// `getRequirements`.
    ///
    /// # Errors
    ///
    /// The revert, if the tool is not configured.
    fn requirements(&self, id: U256, context: Context<'_>) -> Result<Requirements, CallResult>;

    /// The entries of `getRequirements` by term of a composite.
    fn requirements_by_term(
        &self,
        _id: U256,
        _context: Context<'_>,
    ) -> Vec<(Address, Vec<AccessRequirement>)> {
        Vec::new()
    }

    /// The expected storage.
    fn slots(&self) -> Slots {
        Slots::new()
    }

    /// Any other view function; none if the selector is unknown.
    fn view(&self, _data: &[u8], _context: Context<'_>) -> Option<ModelResult> {
        None
    }

    /// Any function that changes the configuration.
    ///
    /// # Errors
    ///
    /// The revert.
    fn configure(
        &mut self,
        _from: Address,
        _data: &[u8],
        _registry: &Registry,
        _context: Context<'_>,
    ) -> ModelResult {
        Err(CallResult::reverts_without_data())
    }
}

/// Executes a view call; none if the selector is unknown.
pub(crate) fn view(
    predicate: &dyn Predicate,
    data: &[u8],
    context: Context<'_>,
) -> Option<CallResult> {
    let (selector, arguments) = Arguments::split(data)?;
    let result = match selector {
        nameCall::SELECTOR => Ok(CallResult::returns(predicate.name().abi_encode())),
        versionCall::SELECTOR => Ok(CallResult::returns("1.0".abi_encode())),
        REGISTRYCall::SELECTOR => Ok(CallResult::returns(predicate.registry()?.abi_encode())),
        supportsInterfaceCall::SELECTOR => {
            let id = arguments.bytes4(0)?;
            let is_common = id == ACCESS_PREDICATE_ID || id == ERC165_ID;
            let supports = is_common || (predicate.reads_data() && id == READS_CALL_DATA_ID);
            Ok(CallResult::returns(supports.abi_encode()))
        }
        hasAccessCall::SELECTOR => {
            let (id, account, data) = read_access_call(arguments)?;
            let access = predicate.has_access(id, account, data, context);
            access.map(|granted| CallResult::returns(granted.abi_encode()))
        }
        getRequirementsCall::SELECTOR => {
            let requirements = predicate.requirements(arguments.number(0)?, context);
            requirements.map(|requirements| CallResult::returns(requirements.abi_encode()))
        }
        _ => predicate.view(data, context)?,
    };
    Some(result.unwrap_or_else(|revert| revert))
}

/// The arguments of `hasAccess`.
pub(crate) fn read_access_call(arguments: Arguments<'_>) -> Option<(U256, Address, &[u8])> {
    Some((
        arguments.number(0)?,
        arguments.address(1)?,
        arguments.bytes(2)?,
    ))
}

/// Decodes the calldata of a setter; reverts without data if it is another function or does not decode.
pub(super) fn decode<'a, C: SolCall, T>(
    data: &'a [u8],
    read: impl FnOnce(Arguments<'a>) -> Option<T>,
) -> Result<T, CallResult> {
    Arguments::of::<C>(data)
        .and_then(read)
        .ok_or_else(CallResult::reverts_without_data)
}

/// Any grant decides. Otherwise the last contract without a result makes the whole unknown.
pub(super) fn any_grants(
    results: impl IntoIterator<Item = (Address, Option<bool>)>,
) -> Result<bool, CallResult> {
    let mut failed = None;
    for (contract, result) in results {
        match result {
            Some(true) => return Ok(true),
            Some(false) => {}
            None => failed = Some(contract),
        }
    }
    failed.map_or(Ok(false), |contract| Err(no_answer(contract)))
}

/// The `data` of a negated term.
pub(super) fn negated_marker() -> FixedBytes<4> {
    FixedBytes::from_slice(&keccak256("negatedTerm()")[..4])
}

/// A predicate that reads `data` reverts under a negation.
pub(super) fn require_not_negated(data: &[u8]) -> Result<(), CallResult> {
    match data == negated_marker() {
        true => Err(CallResult::reverts(&CannotBeNegated {})),
        false => Ok(()),
    }
}

pub(super) fn no_answer(target: Address) -> CallResult {
    CallResult::reverts(&NoAnswer { target })
}

/// Returns no data and emits an event.
pub(super) fn emits<E: SolEvent>(emitter: Address, event: &E) -> CallResult {
    CallResult {
        outcome: Outcome::Returned([].into()),
        logs: vec![Log {
            address: emitter,
            data: event.encode_log_data(),
        }],
    }
}
