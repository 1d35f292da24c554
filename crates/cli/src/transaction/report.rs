//! What would be written, and what was.

use std::fmt::Write;

use atr_registry::{Sent, TransactionPlan, Wei};
use serde::Serialize;

use crate::{
    args::Chain,
    outcome::Outcome,
    output::{Palette, Report, grouped},
};

/// A plan and what became of it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteReport {
    /// The tool that is written to, once it has an id.
    pub(crate) tool: Option<String>,
    /// What a person should see before agreeing: names and values.
    #[serde(skip)]
    pub(crate) lines: Vec<(&'static str, String)>,
    /// What may be regretted.
    pub(crate) warnings: Vec<String>,
    pub(crate) planned: Vec<TransactionPlan>,
    /// What is sent after that.
    pub(crate) later: Vec<Later>,
    /// What is in the way of sending it.
    pub(crate) blockers: Vec<String>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) dry_run: bool,
    /// Why nothing was sent.
    #[serde(skip)]
    pub(crate) stopped: Option<Stopped>,
    /// Said when there is nothing to send.
    #[serde(skip)]
    pub(crate) nothing: Option<String>,
}

/// A call that can be tried only when the others are in a block.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Later {
    pub(super) what: String,
    /// More than it takes.
    pub(super) gas: u64,
    pub(super) at_most: Wei,
}

/// Why a command stopped at the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Only the plan was asked for, and it can be carried out.
    DryRun,
    /// It cannot be carried out.
    Blocked,
    /// A person said no.
    Declined,
}

/// One transaction that got into a block.
#[derive(Debug, Serialize)]
pub(crate) struct Transaction {
    what: String,
    #[serde(flatten)]
    sent: Sent,
}

/// The plan alone, shown before the question.
#[derive(Debug, Serialize)]
pub(crate) struct PlanOf<'a>(&'a WriteReport);

impl WriteReport {
    pub(crate) const fn plan(&self) -> PlanOf<'_> {
        PlanOf(self)
    }

    /// Finds out whether there is any point in asking.
    pub(super) fn judge(&mut self, dry_run: bool) {
        self.dry_run = dry_run;
        let later = self.later.iter();
        let later = later.fold(Wei::default(), |sum, one| sum.plus(one.at_most));
        let blockers = self.planned.iter().filter_map(|planned| {
            let with_later = || planned.blocker_with(later, "all that is to be sent");
            planned.blocker().or_else(with_later)
        });
        self.blockers = blockers.map(|blocker| blocker.to_string()).collect();
        self.stopped = match (self.blockers.is_empty(), dry_run) {
            (false, _) => Some(Stopped::Blocked),
            (true, true) => Some(Stopped::DryRun),
            (true, false) => None,
        };
    }

    /// How a command ends with it.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self.stopped {
            None | Some(Stopped::DryRun) => Outcome::Yes,
            Some(Stopped::Blocked | Stopped::Declined) => Outcome::No,
        }
    }

    pub(super) fn add(&mut self, planned: &TransactionPlan, sent: Sent) {
        self.transactions.push(Transaction {
            what: planned.call.what.clone(),
            sent,
        });
    }

    /// The events of what was sent, in order.
    pub(crate) fn events(&self) -> impl Iterator<Item = &atr_registry::ToolEvent> {
        self.transactions.iter().flat_map(|one| &one.sent.events)
    }
}

impl Report for PlanOf<'_> {
    fn human(&self, palette: &Palette) -> String {
        let report = self.0;
        let mut text = String::new();
        // Writing to a string cannot fail.
        for (name, value) in &report.lines {
            let _ = writeln!(text, "{name:<10}  {value}");
        }
        for planned in &report.planned {
            let coin = Chain::of_id(planned.chain_id).coin();
            let money = |amount: Wei| format!("{amount} {coin}");
            let _ = writeln!(
                text,
                "{:<10}  {} by {}",
                "send", planned.call.what, planned.from
            );
            let _ = writeln!(
                text,
                "{:<10}  {} gas, about {}, at most {}; the account has {}",
                "cost",
                grouped(planned.gas),
                money(planned.cost),
                money(planned.at_most),
                money(planned.balance),
            );
        }
        for later in &report.later {
            let coin = report.planned.first();
            let coin = coin.map_or("", |planned| Chain::of_id(planned.chain_id).coin());
            let _ = writeln!(text, "{:<10}  {}", "then", later.what);
            let _ = writeln!(
                text,
                "{:<10}  at most {} gas, at most {} {coin}",
                "cost",
                grouped(later.gas),
                later.at_most
            );
        }
        for warning in &report.warnings {
            let _ = writeln!(text, "{} {warning}", palette.warning("warning:"));
        }
        for blocker in &report.blockers {
            let _ = writeln!(text, "{} {blocker}", palette.error("cannot be sent:"));
        }
        match report.stopped {
            _ if report.dry_run => {
                let _ = writeln!(text, "{}", palette.heading("dry run: nothing was sent"));
            }
            Some(Stopped::Blocked) => {
                let _ = writeln!(text, "{}", palette.heading("nothing was sent"));
            }
            _ => {}
        }
        text
    }
}

impl Report for WriteReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = String::new();
        if let Some(nothing) = &self.nothing {
            let _ = writeln!(text, "{nothing}");
        }
        for Transaction { what, sent } in &self.transactions {
            let _ = writeln!(
                text,
                "{:<10}  {what}: {} in block {}, {} gas",
                palette.good("done"),
                sent.transaction,
                sent.block,
                grouped(sent.gas_used)
            );
        }
        if self.stopped == Some(Stopped::Declined) {
            let _ = writeln!(text, "{}", palette.heading("declined: nothing was sent"));
        }
        if let (Some(tool), None) = (&self.tool, self.stopped) {
            let _ = writeln!(text, "{:<10}  {}", "tool", palette.heading(tool));
        }
        text
    }
}
