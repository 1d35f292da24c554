//! Result of a deployment.

use atr_deploy::{AuditStatus, Deployment, Verification};
use atr_rpc::Call;
use serde::Serialize;

use super::{check::report::summarize_findings, plan::PlanReport};
use crate::{
    args::Chain,
    outcome::Outcome,
    output::{Palette, Report, Table, count_noun, field, grouped, hints},
    transaction::unsigned,
};

/// The plan, its outcome and the results of explorers. The text omits the plan, which was printed before.
#[derive(Debug, Serialize)]
pub(crate) struct DeployReport<'a> {
    #[serde(flatten)]
    pub(crate) plan: PlanReport<'a>,
    /// For another signer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unsigned: Vec<Call>,
    /// `None` for a dry run, and if the plan cannot be executed.
    #[serde(rename = "deployment")]
    pub(crate) outcome: Option<Deployment>,
    pub(crate) verifications: Vec<Verification>,
}

impl DeployReport<'_> {
    /// `Fail` if the plan has blockers or any check failed.
    pub(crate) fn status(&self) -> AuditStatus {
        let plan = if self.plan.plan.blockers.is_empty() {
            AuditStatus::Pass
        } else {
            AuditStatus::Fail
        };
        let outcome = self.outcome.as_ref().map(Deployment::status);
        let explorers = self
            .verifications
            .iter()
            .map(|verification| verification.status);
        AuditStatus::combine([plan].into_iter().chain(outcome).chain(explorers))
    }

    fn deployed(&self, palette: &Palette, outcome: &Deployment) -> String {
        // The plan, printed above, has the addresses.
        let heading = ["CONTRACT", "BLOCK", "GAS", "TRANSACTION", "CHECKS"];
        let mut table = Table::new(heading).with_right_aligned(&[1, 2]);
        for row in &outcome.contracts {
            let transaction = row.transaction.map(|hash| hash.to_string());
            table.add_row([
                row.contract.to_owned(),
                row.block.map(|block| block.to_string()).unwrap_or_default(),
                row.gas_used.map(grouped).unwrap_or_default(),
                transaction.unwrap_or_else(|| "already deployed".to_owned()),
                summarize_findings(&row.findings),
            ]);
        }
        table.render(palette)
    }

    fn verified(&self, palette: &Palette) -> String {
        if self.verifications.is_empty() {
            return String::new();
        }
        let mut table = Table::new(["CONTRACT", "EXPLORER", "VERIFIED", "DETAIL"]);
        for row in &self.verifications {
            let verified = match row.status {
                AuditStatus::Pass => "yes",
                AuditStatus::Fail => "no",
                AuditStatus::Inconclusive => "unknown",
            };
            table.add_row([
                row.contract.to_owned(),
                row.explorer.to_owned(),
                verified.to_owned(),
                row.detail.clone(),
            ]);
        }
        table.render(palette) + "\n"
    }
}

impl Report for DeployReport<'_> {
    fn render(&self, palette: &Palette) -> String {
        let Some(outcome) = &self.outcome else {
            return unsigned::render(&self.unsigned);
        };
        let chain = Chain::new(self.plan.plan.chain_id).label();
        let count = outcome.contracts.len();
        let is_ok = outcome.status() == AuditStatus::Pass;
        let has_new = outcome
            .contracts
            .iter()
            .any(|contract| contract.transaction.is_some());
        let prefix = if has_new { "" } else { "up to date: " };
        let summary = if is_ok {
            palette.success(&format!(
                "{prefix}{} deployed on {chain}, code matches the build; record: {}",
                count_noun(count, "contract"),
                outcome.record.display()
            ))
        } else {
            palette.error(&format!("some checks failed on {chain}"))
        };
        // Without new transactions the plan, printed above, has all details.
        let deployed = if is_ok && !has_new {
            String::new()
        } else {
            self.deployed(palette, outcome) + "\n"
        };
        let verified = self.verified(palette);
        let paid = if has_new {
            let currency = Chain::new(self.plan.plan.chain_id).currency();
            format!("paid {} {currency}\n", outcome.paid)
        } else {
            String::new()
        };
        // The addresses are in the plan; with `--quiet` nothing but the result is printed.
        let next = if is_ok && has_new && palette.shows_hints() {
            let chain = Chain::new(self.plan.plan.chain_id);
            let explorer = outcome.contracts.iter().filter_map(|contract| {
                let url = chain.explorer_account(contract.address)?;
                Some(field("explorer", &url))
            });
            explorer.collect::<String>() + &palette.next("atr manifest init")
        } else {
            String::new()
        };
        format!("\n{deployed}{verified}{paid}{summary}\n{next}")
    }

    fn result(&self) -> Outcome {
        self.status().into()
    }

    fn refusal(&self) -> Option<String> {
        let blockers = self.plan.plan.blockers.iter().map(hints::deploy_blocker);
        let blockers: Vec<_> = blockers.collect();
        (!blockers.is_empty()).then(|| blockers.join("; "))
    }
}
