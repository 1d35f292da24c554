//! The interface of a predicate model.

use std::fmt;

use alloy_primitives::{Address, FixedBytes, Log, LogData, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID,
    CompositePredicate::{
        CallFailed, CannotBeNegated, REGISTRYCall, supportsInterfaceCall, versionCall,
    },
    ERC165_ID,
    IAccessPredicate::{getRequirementsCall, hasAccessCall, nameCall},
    READS_CALL_DATA_ID,
};

use super::{ClauseRequirements, Requirements, Slots};
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

    /// The entries of `getRequirements` by clause of a composite.
    fn requirements_by_clause(&self, _id: U256, _context: Context<'_>) -> Vec<ClauseRequirements> {
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

pub(super) fn call_failed(target: Address) -> CallResult {
    CallResult::reverts(&CallFailed { target })
}

/// Returns no data and emits events.
pub(super) fn emits(emitter: Address, events: Vec<LogData>) -> CallResult {
    let log = |data| Log {
        address: emitter,
        data,
    };
    CallResult {
        outcome: Outcome::Returned([].into()),
        logs: events.into_iter().map(log).collect(),
    }
}
