//! Deployment plan.

use std::path::Path;

use atr_deploy::{Blocker, ContractState, Plan, PlannedContract};
use atr_rpc::{Wei, format_gwei};
use serde::Serialize;

use crate::{
    args::Chain,
    output::{Palette, Report, Table, grouped, hints},
};

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct PlanReport<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) record: &'a Path,
    /// Whether `--max-cost` sets the maximum.
    #[serde(skip)]
    pub(crate) has_cost_limit: bool,
}

impl PlanReport<'_> {
    fn currency(&self) -> &'static str {
        Chain::new(self.plan.chain_id).currency()
    }

    fn table(&self, palette: &Palette) -> String {
        let heading = ["CONTRACT", "ADDRESS", "STATE", "GAS", "FEE"];
        let mut table = Table::new(heading).with_right_aligned(&[3]);
        for row in &self.plan.contracts {
            table.add_row([
                row.contract.to_owned(),
                row.address.to_string(),
                state(row),
                row.gas.map(grouped).unwrap_or_default(),
                row.fee.map(|fee| self.amount(fee)).unwrap_or_default(),
            ]);
        }
        if self.plan.gas > 0 {
            let (gas, fee) = (grouped(self.plan.gas), self.amount(self.plan.expected_cost));
            table.add_row(["total".to_owned(), String::new(), String::new(), gas, fee]);
        }
        table.render(palette)
    }

    fn amount(&self, amount: Wei) -> String {
        format!("{amount} {}", self.currency())
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let plan = self.plan;
        let chain = Chain::new(plan.chain_id);
        let mut lines = vec![("chain", chain.label())];
        if let Some(sender) = plan.sender {
            lines.push(("sender", sender.to_string()));
        }
        lines.push(("factory", self.factory()));
        lines.push(("salt", plan.salt.to_string()));
        if plan.gas > 0 {
            lines.push(("fees", self.fees()));
            let max = self.amount(plan.max_cost);
            let note = if self.has_cost_limit {
                "--max-cost"
            } else {
                "with fee increases"
            };
            lines.push(("max cost", format!("{max} ({note})")));
        }
        if let Some(balance) = plan.balance {
            let after = match plan.balance_after {
                Some(after) if plan.gas > 0 => format!(", about {} afterwards", self.amount(after)),
                _ => String::new(),
            };
            lines.push(("balance", format!("{}{after}", self.amount(balance))));
        }
        lines.push(("record", self.record.display().to_string()));
        lines
    }

    fn factory(&self) -> String {
        let factory = &self.plan.factory;
        let state = match (factory.state, factory.funding) {
            (ContractState::Deployed, _) => "deployed".to_owned(),
            (ContractState::Mismatch, _) => "has different code".to_owned(),
            (ContractState::Missing, None) => "missing".to_owned(),
            (ContractState::Missing, Some(funding)) => format!(
                "missing: will be deployed by its presigned transaction, whose sender is funded with {}",
                self.amount(funding)
            ),
        };
        format!("{} {state}", factory.address)
    }

    fn fees(&self) -> String {
        let fees = &self.plan.fees;
        format!(
            "base fee {}, priority fee {}, max fee {}",
            format_gwei(fees.base_fee_per_gas),
            format_gwei(fees.max_priority_fee_per_gas),
            format_gwei(fees.max_fee_per_gas)
        )
    }
}

impl Report for PlanReport<'_> {
    fn render(&self, palette: &Palette) -> String {
        let lines = self.lines();
        let lines: String = lines
            .iter()
            .map(|(name, value)| format!("{name:<8}  {value}\n"))
            .collect();
        let blockers: String = self
            .plan
            .blockers
            .iter()
            .map(|blocker| render_blocker(palette, blocker))
            .collect();
        format!("{}\n{lines}{blockers}", self.table(palette))
    }
}

fn render_blocker(palette: &Palette, blocker: &Blocker) -> String {
    let blocker = hints::deploy_blocker(blocker);
    format!("\n{} {blocker}\n", palette.error("error:"))
}

fn state(row: &PlannedContract) -> String {
    match (row.state, row.pending) {
        (ContractState::Missing, Some(_)) => "missing, transaction pending".to_owned(),
        (ContractState::Missing, None) => "missing".to_owned(),
        (ContractState::Deployed, _) => "deployed".to_owned(),
        (ContractState::Mismatch, _) => "different code".to_owned(),
    }
}
