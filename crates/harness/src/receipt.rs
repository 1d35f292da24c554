//! What came of a transaction.

use alloy_primitives::{Address, Bytes, Log};
use alloy_sol_types::{SolCall, SolEvent};
use revm::context::result::{ExecutionResult, Output};

use crate::{Change, Gas, Transaction};

/// How a transaction ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned these bytes.
    Returned(Bytes),
    /// It created a contract.
    Created(Address),
    /// It reverted with these bytes; nothing was changed.
    Reverted(Bytes),
    /// It ran out of gas or into an invalid opcode; nothing was changed. The reason is for people only.
    Halted(String),
}

/// What came of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// How it ended.
    pub outcome: Outcome,
    /// What was logged, in order.
    pub logs: Vec<Log>,
    /// What it cost.
    pub gas: Gas,
    /// What is not as it was before.
    pub changes: Vec<Change>,
}

impl Receipt {
    pub(crate) fn of(
        result: ExecutionResult,
        changes: Vec<Change>,
        transaction: &Transaction,
    ) -> Self {
        let gas = Gas::of(result.gas(), transaction);
        match result {
            ExecutionResult::Success { logs, output, .. } => Self {
                outcome: match output {
                    Output::Call(bytes) => Outcome::Returned(bytes),
                    Output::Create(_, address) => {
                        Outcome::Created(address.expect("a creation that succeeds has an address"))
                    }
                },
                logs,
                gas,
                changes,
            },
            ExecutionResult::Revert { output, .. } => Self {
                outcome: Outcome::Reverted(output),
                logs: Vec::new(),
                gas,
                changes,
            },
            ExecutionResult::Halt { reason, .. } => Self {
                outcome: Outcome::Halted(format!("{reason:?}")),
                logs: Vec::new(),
                gas,
                changes,
            },
        }
    }

    /// Whether it returned or created.
    #[must_use]
    pub const fn succeeded(&self) -> bool {
        matches!(self.outcome, Outcome::Returned(_) | Outcome::Created(_))
    }

    /// Something that it changed and must not. A contract writes its own storage and creates contracts, and nothing else; and
    /// whenever it does, it logs it.
    #[must_use]
    pub fn forbidden_change(&self, called: Address) -> Option<Change> {
        let may_change = !self.logs.is_empty();
        let allowed = |change: &Change| match change {
            Change::Slot(of, _) => may_change && *of == called,
            Change::Created(_) => may_change,
            Change::Account(_) => false,
        };
        self.changes.iter().find(|change| !allowed(change)).copied()
    }

    /// What a call returned, if it did.
    #[must_use]
    pub fn returned<C: SolCall>(&self) -> Option<C::Return> {
        match &self.outcome {
            Outcome::Returned(bytes) => C::abi_decode_returns_validate(bytes).ok(),
            _ => None,
        }
    }

    /// The only log, if there is just one and it is this event.
    #[must_use]
    pub fn only_log<E: SolEvent>(&self) -> Option<E> {
        match self.logs.as_slice() {
            [log] => E::decode_log_data(&log.data).ok(),
            _ => None,
        }
    }
}
