//! The result of a transaction.

use alloy_primitives::{Address, Bytes, Log};
use alloy_sol_types::SolCall;
use revm::context::result::{ExecutionResult, Output};

use crate::{Change, Gas, Transaction};

/// The outcome of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Returned these bytes.
    Returned(Bytes),
    /// Created a contract.
    Created(Address),
    /// Reverted with these bytes.
    Reverted(Bytes),
    /// Halted: out of gas, invalid opcode, …. revm's name of the reason.
    Halted(String),
}

/// The result of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Receipt {
    pub outcome: Outcome,
    pub logs: Vec<Log>,
    pub gas: Gas,
    pub changes: Vec<Change>,
}

impl Receipt {
    pub(crate) fn new(
        result: ExecutionResult,
        changes: Vec<Change>,
        transaction: &Transaction,
    ) -> Self {
        let gas = Gas::new(result.gas(), transaction);
        match result {
            ExecutionResult::Success { logs, output, .. } => Self {
                outcome: match output {
                    Output::Call(bytes) => Outcome::Returned(bytes),
                    Output::Create(_, address) => {
                        Outcome::Created(address.expect("a successful creation has an address"))
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

    /// Whether the transaction returned or created a contract.
    #[must_use]
    pub const fn succeeded(&self) -> bool {
        matches!(self.outcome, Outcome::Returned(_) | Outcome::Created(_))
    }

    /// The first change that no call to our contracts may make. A contract may write its own storage and create contracts,
    /// and only if it also emits a log.
    #[must_use]
    pub fn forbidden_change(&self, called: Address) -> Option<Change> {
        let may_change = !self.logs.is_empty();
        let allowed = |change: &Change| match change {
            Change::Slot(account, _) => may_change && *account == called,
            Change::Created(_) => may_change,
            Change::Account(_) => false,
        };
        self.changes.iter().find(|change| !allowed(change)).copied()
    }

    /// The decoded return data; none unless the call returned.
    #[must_use]
    pub fn returned<C: SolCall>(&self) -> Option<C::Return> {
        match &self.outcome {
            Outcome::Returned(bytes) => C::abi_decode_returns_validate(bytes).ok(),
            _ => None,
        }
    }
}
