//! Counts the outcomes that random scenarios reach.

use alloy_primitives::{Address, U256};
use atr_bindings::IToolRegistry::tryHasAccessCall;
use atr_harness::{
    Outcome, Receipt, Transaction,
    model::{Access, ExternalContracts},
};

use super::{Action, Machine, Step};

impl Machine {
    /// Counts a call, for example as `deregister: ok`, `update, mutated: ToolNotFound` and `BurnGas: Unknown`.
    pub(super) fn count_call(
        &mut self,
        step: &Step,
        transaction: &Transaction,
        receipt: &Receipt,
        agrees: bool,
    ) {
        let action = match step.action {
            Action::Register { .. } => "register",
            Action::Update { .. } => "update",
            Action::SetPredicate { .. } => "set predicate",
            Action::Deregister { .. } => "deregister",
            Action::ReadConfig { .. } => "read config",
            Action::CheckAccess { is_try: false, .. } => "hasAccess",
            Action::CheckAccess { is_try: true, .. } => "tryHasAccess",
            Action::ReadConstant { .. } => "read constant",
            Action::SetScript { .. } => "set script",
            Action::SetCode { .. } => "set code",
        };
        let variation = match &step.variation {
            variation if !variation.mutations.is_empty() => ", mutated",
            variation if variation.value > 0 => ", with value",
            variation if variation.gas.is_none() => "",
            _ if self.has_enough_gas(transaction) => ", at the gas ceiling",
            _ => ", below the gas ceiling",
        };
        let outcome = self.outcome(&step.action, receipt, agrees);
        self.count(format!("{action}{variation}: {outcome}"));

        if let Action::CheckAccess { tool, is_try, .. } = step.action
            && variation.is_empty()
            && is_try
            && let Some(access) = access(receipt)
        {
            let predicate = self.model.tool(self.id(tool)).map(|tool| tool.predicate);
            let kind = self.kind(predicate.unwrap_or_default());
            self.count(format!("{kind}: {access:?}"));
        }
    }

    fn count(&mut self, class: String) {
        *self.seen.entry(class).or_default() += 1;
    }

    fn outcome(&self, action: &Action, receipt: &Receipt, agrees: bool) -> String {
        let changes = matches!(action, Action::Update { .. } | Action::SetPredicate { .. });
        match &receipt.outcome {
            _ if !agrees => "out of gas".to_owned(),
            Outcome::Returned(_) if changes && receipt.logs.is_empty() => "unchanged".to_owned(),
            Outcome::Returned(_) | Outcome::Created(_) => "ok".to_owned(),
            Outcome::Reverted(data) if data.is_empty() => "revert without data".to_owned(),
            Outcome::Reverted(data) => {
                let error = self.world.names().error(data);
                error.split(' ').next().unwrap_or_default().to_owned()
            }
            Outcome::Halted(_) => "halted".to_owned(),
        }
    }

    /// The kind of a predicate.
    fn kind(&self, predicate: Address) -> String {
        let is_precompile = U256::from_be_slice(predicate.as_slice()) < U256::from(10);
        match self.actors.behavior(predicate) {
            _ if predicate.is_zero() => "open".to_owned(),
            _ if is_precompile => "precompile".to_owned(),
            Some(behavior) if self.actors.has_code(predicate) => format!("{behavior:?}"),
            _ => "no code".to_owned(),
        }
    }
}

/// The outcome of `tryHasAccess`; none if it did not return.
fn access(receipt: &Receipt) -> Option<Access> {
    let found = receipt.returned::<tryHasAccessCall>()?;
    let pair = (found.ok, found.granted);
    Access::ALL
        .into_iter()
        .find(|access| access.as_pair() == pair)
}
