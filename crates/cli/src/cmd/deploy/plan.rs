//! A plan as it is shown before anything is signed.

use std::path::Path;

use atr_deploy::{Blocker, FactoryState, Plan, PlannedContract, State, Wei};
use serde::Serialize;

use crate::{
    args::Chain,
    output::{Palette, Report, Table, grouped},
};

/// What would be done and what it would cost.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct PlanReport<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) record: &'a Path,
}

impl PlanReport<'_> {
    fn coin(&self) -> &'static str {
        Chain::of_id(self.plan.chain_id).coin()
    }

    fn table(&self, palette: &Palette) -> String {
        let heading = ["CONTRACT", "ADDRESS", "STATE", "GAS", "FEE"];
        let mut table = Table::new(heading).with_numbers_in(&[3]);
        for row in &self.plan.contracts {
            table.add([
                row.contract.to_owned(),
                row.address.to_string(),
                state(row),
                row.gas.map(grouped).unwrap_or_default(),
                row.fee.map(|fee| self.money(fee)).unwrap_or_default(),
            ]);
        }
        if self.plan.gas > 0 {
            let total = [grouped(self.plan.gas), self.money(self.plan.total)];
            let [gas, fee] = total;
            table.add(["total".to_owned(), String::new(), String::new(), gas, fee]);
        }
        table.human(palette)
    }

    fn money(&self, amount: Wei) -> String {
        format!("{amount} {}", self.coin())
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let plan = self.plan;
        let chain = Chain::of_id(plan.chain_id);
        let mut lines = vec![("chain", chain.named())];
        if let Some(sender) = plan.sender {
            lines.push(("sender", sender.to_string()));
        }
        lines.push(("factory", self.factory()));
        lines.push(("salt", plan.salt.to_string()));
        if plan.gas > 0 {
            lines.push(("fees", self.fees()));
            lines.push(("at most", self.money(plan.at_most)));
        }
        if let Some(balance) = plan.balance {
            let after = match plan.balance_after {
                Some(after) if plan.gas > 0 => format!(", about {} after", self.money(after)),
                _ => String::new(),
            };
            lines.push(("balance", format!("{}{after}", self.money(balance))));
        }
        lines.push(("record", self.record.display().to_string()));
        lines
    }

    fn factory(&self) -> String {
        let factory = &self.plan.factory;
        let state = match (factory.state, factory.funding) {
            (FactoryState::Present, _) => "present".to_owned(),
            (FactoryState::Different, _) => "different".to_owned(),
            (FactoryState::Absent, None) => "absent".to_owned(),
            (FactoryState::Absent, Some(funding)) => format!(
                "absent: {} go to its own account, then its well-known transaction is sent",
                self.money(funding)
            ),
        };
        format!("{} {state}", factory.address)
    }

    fn fees(&self) -> String {
        let fees = &self.plan.fees;
        format!(
            "base fee {}, tip {}, offered at most {}",
            gwei(fees.base_fee_per_gas),
            gwei(fees.max_priority_fee_per_gas),
            gwei(fees.max_fee_per_gas)
        )
    }
}

impl Report for PlanReport<'_> {
    fn human(&self, palette: &Palette) -> String {
        let lines = self.lines();
        let lines: String = lines
            .iter()
            .map(|(name, value)| format!("{name:<8}  {value}\n"))
            .collect();
        let blockers: String = self
            .plan
            .blockers
            .iter()
            .map(|one| blocker(palette, one))
            .collect();
        format!("{}\n{lines}{blockers}", self.table(palette))
    }
}

fn blocker(palette: &Palette, blocker: &Blocker) -> String {
    format!("\n{} {blocker}\n", palette.error("cannot be done:"))
}

fn state(row: &PlannedContract) -> String {
    match (row.state, row.pending) {
        (State::Absent, Some(_)) => "absent, signed before".to_owned(),
        (State::Absent, None) => "absent".to_owned(),
        (State::Matching, _) => "present and matching".to_owned(),
        (State::Different, _) => "present and different".to_owned(),
    }
}

fn gwei(wei: u128) -> String {
    let fraction = format!("{:09}", wei % 1_000_000_000);
    match fraction.trim_end_matches('0') {
        "" => format!("{} gwei", wei / 1_000_000_000),
        fraction => format!("{}.{fraction} gwei", wei / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_easy_on_the_eye() {
        assert_eq!(gwei(2_000_000_000), "2 gwei");
        assert_eq!(gwei(1_500_000), "0.0015 gwei");
    }
}
