//! Where random steps lead.

use alloy_primitives::{Address, U256};
use atr_bindings::IToolRegistry::tryHasAccessCall;
use atr_harness::{
    Outcome, Receipt, Transaction,
    model::{Answer, Others},
};

use super::{Act, Machine, Step};

impl Machine {
    /// Counts a call that was made: `deregister: done`, `update, damaged: ToolNotFound`, `BurnsGas says Unknown`.
    pub(super) fn note(
        &mut self,
        step: &Step,
        transaction: &Transaction,
        receipt: &Receipt,
        agrees: bool,
    ) {
        let act = match step.act {
            Act::Register { .. } => "register",
            Act::Update { .. } => "update",
            Act::SetPredicate { .. } => "set predicate",
            Act::Deregister { .. } => "deregister",
            Act::ReadConfig { .. } => "read config",
            Act::Ask { plainly: true, .. } => "ask plainly",
            Act::Ask { plainly: false, .. } => "ask",
            Act::ReadConstant { .. } => "read constant",
            Act::Rescript { .. } => "rescript",
            Act::SetAlive { .. } => "set alive",
        };
        let form = match &step.form {
            form if !form.damage.is_empty() => ", damaged",
            form if form.ether > 0 => ", with ether",
            form if form.gas.is_none() => "",
            _ if self.has_enough_gas(transaction) => ", with enough gas",
            _ => ", with little gas",
        };
        let end = self.end(&step.act, receipt, agrees);
        self.count(format!("{act}{form}: {end}"));

        if let Act::Ask { tool, plainly, .. } = step.act
            && form.is_empty()
            && !plainly
            && let Some(answer) = answer(receipt)
        {
            let predicate = self.model.tool(self.id(tool)).map(|tool| tool.predicate);
            let kind = self.kind(predicate.unwrap_or_default());
            self.count(format!("{kind} says {answer:?}"));
        }
    }

    fn count(&mut self, class: String) {
        *self.seen.entry(class).or_default() += 1;
    }

    fn end(&self, act: &Act, receipt: &Receipt, agrees: bool) -> String {
        let changes = matches!(act, Act::Update { .. } | Act::SetPredicate { .. });
        match &receipt.outcome {
            _ if !agrees => "starved".to_owned(),
            Outcome::Returned(_) if changes && receipt.logs.is_empty() => "as it was".to_owned(),
            Outcome::Returned(_) | Outcome::Created(_) => "done".to_owned(),
            Outcome::Reverted(data) if data.is_empty() => "refused without a word".to_owned(),
            Outcome::Reverted(data) => {
                let error = self.world.names().error(data);
                error.split(' ').next().unwrap_or_default().to_owned()
            }
            Outcome::Halted(_) => "halted".to_owned(),
        }
    }

    /// What kind of predicate decides.
    fn kind(&self, predicate: Address) -> String {
        let is_precompile = U256::from_be_slice(predicate.as_slice()) < U256::from(10);
        match self.cast.manner(predicate) {
            _ if predicate.is_zero() => "nobody".to_owned(),
            _ if is_precompile => "a precompile".to_owned(),
            Some(manner) if self.cast.has_code(predicate) => format!("{manner:?}"),
            _ => "no code".to_owned(),
        }
    }
}

/// What `tryHasAccess` answered, if it did.
fn answer(receipt: &Receipt) -> Option<Answer> {
    let found = receipt.returned::<tryHasAccessCall>()?;
    let three = [Answer::No, Answer::Unknown, Answer::Yes];
    let pair = (found.ok, found.granted);
    three.into_iter().find(|answer| answer.as_pair() == pair)
}
