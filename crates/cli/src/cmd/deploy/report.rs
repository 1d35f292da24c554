//! What a run has done.

use atr_deploy::{Outcome, Verdict, Verification};
use serde::Serialize;

use super::{check::report::findings_in_short, plan::PlanReport};
use crate::{
    args::Chain,
    output::{Palette, Report, Table, grouped},
};

/// The plan, what became of it, and what explorers say. People have seen the plan by now.
#[derive(Debug, Serialize)]
pub(crate) struct DeployReport<'a> {
    #[serde(flatten)]
    pub(crate) plan: PlanReport<'a>,
    /// None when the plan was all that was asked for, or cannot be carried out.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) verifications: Vec<Verification>,
}

impl DeployReport<'_> {
    /// The answer: no if the plan cannot be carried out or anything is not as it should be.
    pub(crate) fn verdict(&self) -> Verdict {
        let plan = if self.plan.plan.blockers.is_empty() {
            Verdict::Yes
        } else {
            Verdict::No
        };
        let outcome = self.outcome.as_ref().map(Outcome::verdict);
        let explorers = self.verifications.iter().map(|one| one.verdict);
        Verdict::of_all([plan].into_iter().chain(outcome).chain(explorers))
    }

    fn deployed(&self, palette: &Palette, outcome: &Outcome) -> String {
        // Addresses stand in the plan, just above.
        let heading = ["CONTRACT", "BLOCK", "GAS", "TRANSACTION", "CHECKED"];
        let mut table = Table::new(heading).with_numbers_in(&[1, 2]);
        for row in &outcome.contracts {
            let transaction = row.transaction.map(|hash| hash.to_string());
            table.add([
                row.contract.to_owned(),
                row.block.map(|block| block.to_string()).unwrap_or_default(),
                row.gas_used.map(grouped).unwrap_or_default(),
                transaction.unwrap_or_else(|| "was there before".to_owned()),
                findings_in_short(&row.findings),
            ]);
        }
        table.human(palette)
    }

    fn verified(&self, palette: &Palette) -> String {
        if self.verifications.is_empty() {
            return String::new();
        }
        let mut table = Table::new(["CONTRACT", "EXPLORER", "VERIFIED", "DETAIL"]);
        for row in &self.verifications {
            let verified = match row.verdict {
                Verdict::Yes => "yes",
                Verdict::No => "no",
                Verdict::Unknown => "could not find out",
            };
            table.add([
                row.contract.to_owned(),
                row.explorer.to_owned(),
                verified.to_owned(),
                row.detail.clone(),
            ]);
        }
        table.human(palette) + "\n"
    }
}

impl Report for DeployReport<'_> {
    fn human(&self, palette: &Palette) -> String {
        let Some(outcome) = &self.outcome else {
            return String::new();
        };
        let chain = Chain::of_id(self.plan.plan.chain_id).named();
        let count = outcome.contracts.len();
        let is_well = outcome.verdict() == Verdict::Yes;
        let is_news = outcome
            .contracts
            .iter()
            .any(|one| one.transaction.is_some());
        let lead = if is_news { "" } else { "nothing to do: " };
        let summary = if is_well {
            palette.good(&format!(
                "{lead}{count} contracts are in place on {chain}, every byte as compiled; recorded in {}",
                outcome.record.display()
            ))
        } else {
            palette.error(&format!("not everything on {chain} is as it should be"))
        };
        // What the plan has shown already is not shown again.
        let deployed = if is_well && !is_news {
            String::new()
        } else {
            self.deployed(palette, outcome) + "\n"
        };
        let verified = self.verified(palette);
        format!("\n{deployed}{verified}{summary}\n")
    }
}
