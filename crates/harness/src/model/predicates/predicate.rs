//! What all predicates share.

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
    model::{Around, Registry, Reply, calldata::Arguments},
};

/// How a call ended: what it returned and logged, or what it reverted with.
pub type Ended = Result<Reply, Reply>;

/// A copy of a model behind a pointer.
pub trait Duplicate {
    /// The copy.
    fn duplicate(&self) -> Box<dyn Predicate>;
}

impl<T: Predicate + Clone + 'static> Duplicate for T {
    fn duplicate(&self) -> Box<dyn Predicate> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Predicate> {
    fn clone(&self) -> Self {
        (**self).duplicate()
    }
}

/// A term that is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whom.
    pub whom: Address,
    /// With how much gas.
    pub gas: u64,
    /// What; none if it must not be asked.
    pub question: Option<Vec<u8>>,
}

/// What a predicate must do. `name`, `version`, `REGISTRY` and `supportsInterface` follow from it.
pub trait Predicate: fmt::Debug + Duplicate {
    /// `name()`.
    fn name(&self) -> &'static str;

    /// `REGISTRY()`, if it has settings.
    fn registry(&self) -> Option<Address> {
        None
    }

    /// Whether it claims that its answer depends on `data`.
    fn reads_data(&self) -> bool {
        false
    }

    /// `hasAccess`; the error is what it reverts with.
    ///
    /// # Errors
    ///
    /// When it cannot find out.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply>;

    /// Gas with which `hasAccess` certainly comes to what the model says, if all its terms have enough. A model that does not
    /// say is held to its answers only where it is asked directly, with plenty of gas.
    fn gas_needed(&self, _id: U256, _account: Address, _data: &[u8], _around: Around<'_>) -> u64 {
        u64::MAX
    }

    /// The other predicates that `hasAccess` asks.
    fn terms(&self, _id: U256, _account: Address, _data: &[u8]) -> Vec<Asked> {
        Vec::new()
    }

    /// What `getRequirements` makes of what each of them requires.
    fn told_by_terms(
        &self,
        _id: U256,
        _around: Around<'_>,
    ) -> Vec<(Address, Vec<AccessRequirement>)> {
        Vec::new()
    }

    /// `getRequirements`.
    ///
    /// # Errors
    ///
    /// When it was not set up.
    fn requirements(&self, id: U256, around: Around<'_>) -> Result<Requirements, Reply>;

    /// What is stored.
    fn slots(&self) -> Slots {
        Slots::new()
    }

    /// Whatever else can be asked; none if this is no such question.
    fn view(&self, _data: &[u8], _around: Around<'_>) -> Option<Ended> {
        None
    }

    /// Gas with which a call that changes something certainly comes to what the model says, finding out who created the tool
    /// not counted; none if it is no such call, or the model does not say.
    fn gas_to_set(&self, _data: &[u8]) -> Option<u64> {
        None
    }

    /// Whatever can be changed.
    ///
    /// # Errors
    ///
    /// When it must not be changed that way, or there is no such function.
    fn set(
        &mut self,
        _from: Address,
        _data: &[u8],
        _registry: &Registry,
        _around: Around<'_>,
    ) -> Ended {
        Err(Reply::reverts_silently())
    }
}

/// Asks a predicate anything; none if it has no such function.
pub(crate) fn view(predicate: &dyn Predicate, data: &[u8], around: Around<'_>) -> Option<Reply> {
    let (selector, arguments) = Arguments::split(data)?;
    let ended = match selector {
        nameCall::SELECTOR => Ok(Reply::returns(predicate.name().abi_encode())),
        versionCall::SELECTOR => Ok(Reply::returns("1.0".abi_encode())),
        REGISTRYCall::SELECTOR => Ok(Reply::returns(predicate.registry()?.abi_encode())),
        supportsInterfaceCall::SELECTOR => {
            let id = arguments.bytes4(0)?;
            let is_own = id == ACCESS_PREDICATE_ID || id == ERC165_ID;
            let claims = is_own || (predicate.reads_data() && id == READS_CALL_DATA_ID);
            Ok(Reply::returns(claims.abi_encode()))
        }
        hasAccessCall::SELECTOR => {
            let (id, account, data) = read_question(arguments)?;
            let answer = predicate.has_access(id, account, data, around);
            answer.map(|yes| Reply::returns(yes.abi_encode()))
        }
        getRequirementsCall::SELECTOR => {
            let told = predicate.requirements(arguments.number(0)?, around);
            told.map(|requirements| Reply::returns(requirements.abi_encode()))
        }
        _ => predicate.view(data, around)?,
    };
    Some(ended.unwrap_or_else(|refusal| refusal))
}

/// The arguments of `hasAccess`.
pub(crate) fn read_question(arguments: Arguments<'_>) -> Option<(U256, Address, &[u8])> {
    Some((
        arguments.number(0)?,
        arguments.address(1)?,
        arguments.bytes(2)?,
    ))
}

/// What the call data of a negated term are.
pub(super) fn negated_marker() -> FixedBytes<4> {
    FixedBytes::from_slice(&keccak256("negatedTerm()")[..4])
}

/// A predicate whose answer depends on `data` does not answer under a negation.
pub(super) fn refuse_negation(data: &[u8]) -> Result<(), Reply> {
    match data == negated_marker() {
        true => Err(Reply::reverts(&CannotBeNegated {})),
        false => Ok(()),
    }
}

/// A contract that has to be asked does not answer.
pub(super) fn no_answer(target: Address) -> Reply {
    Reply::reverts(&NoAnswer { target })
}

/// Returns nothing and logs this.
pub(super) fn logs<E: SolEvent>(by: Address, event: &E) -> Reply {
    Reply {
        outcome: Outcome::Returned([].into()),
        logs: vec![Log {
            address: by,
            data: event.encode_log_data(),
        }],
    }
}
