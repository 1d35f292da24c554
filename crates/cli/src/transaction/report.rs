//! Plan and result of the transactions of one command.

use std::fmt::Write;

use atr_registry::{MinedTransaction, TransactionPlan, Wei};
use serde::Serialize;

use crate::{
    args::Chain,
    outcome::Outcome,
    output::{Palette, Report, grouped, hints},
};

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransactionReport {
    /// `None` until a registration has assigned an id.
    pub(crate) tool: Option<String>,
    /// Label and value of each line printed above the transactions.
    #[serde(skip)]
    pub(crate) lines: Vec<(&'static str, String)>,
    pub(crate) warnings: Vec<String>,
    pub(crate) planned: Vec<TransactionPlan>,
    pub(crate) follow_ups: Vec<FollowUp>,
    /// Reasons why the plan cannot be executed.
    pub(crate) blockers: Vec<String>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) dry_run: bool,
    #[serde(skip)]
    pub(crate) stopped: Option<StopReason>,
    /// Printed if there is nothing to send.
    #[serde(skip)]
    pub(crate) up_to_date: Option<String>,
}

/// A call that can be simulated only after the planned transactions are mined.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FollowUp {
    pub(super) description: String,
    /// Upper bound.
    pub(super) gas: u64,
    pub(super) max_cost: Wei,
}

/// Why nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    DryRun,
    Blocked,
    Declined,
}

/// A mined transaction.
#[derive(Debug, Serialize)]
pub(crate) struct Transaction {
    description: String,
    #[serde(flatten)]
    mined: MinedTransaction,
}

/// The plan, printed before the confirmation prompt.
#[derive(Debug, Serialize)]
pub(crate) struct PlanView<'a>(&'a TransactionReport);

impl TransactionReport {
    pub(crate) const fn plan(&self) -> PlanView<'_> {
        PlanView(self)
    }

    /// Sets `blockers` and, if the plan must not be executed, `stopped`.
    pub(super) fn check_blockers(&mut self, dry_run: bool) {
        self.dry_run = dry_run;
        let follow_ups = self.follow_ups.iter();
        let follow_ups = follow_ups.fold(Wei::default(), |sum, call| {
            sum.saturating_add(call.max_cost)
        });
        let blockers = self.planned.iter().filter_map(|planned| {
            let with_follow_ups = || planned.insufficient_funds(follow_ups, "all transactions");
            planned.blocker().or_else(with_follow_ups)
        });
        self.blockers = blockers
            .map(|blocker| hints::registry_blocker(&blocker))
            .collect();
        self.stopped = match (self.blockers.is_empty(), dry_run) {
            (false, _) => Some(StopReason::Blocked),
            (true, true) => Some(StopReason::DryRun),
            (true, false) => None,
        };
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        match self.stopped {
            None | Some(StopReason::DryRun) => Outcome::Success,
            Some(StopReason::Blocked | StopReason::Declined) => Outcome::Failure,
        }
    }

    pub(super) fn add(&mut self, planned: &TransactionPlan, mined: MinedTransaction) {
        self.transactions.push(Transaction {
            description: planned.call.description.clone(),
            mined,
        });
    }

    /// All mined transactions, in order.
    pub(crate) fn mined(&self) -> impl Iterator<Item = &MinedTransaction> {
        self.transactions
            .iter()
            .map(|transaction| &transaction.mined)
    }
}

impl Report for PlanView<'_> {
    fn render(&self, palette: &Palette) -> String {
        let report = self.0;
        let mut text = String::new();
        // Writing to a string cannot fail.
        for (name, value) in &report.lines {
            let _ = writeln!(text, "{name:<11}  {value}");
        }
        for planned in &report.planned {
            let currency = Chain::new(planned.chain_id).currency();
            let amount = |amount: Wei| format!("{amount} {currency}");
            let _ = writeln!(
                text,
                "{:<11}  {} from {}",
                "transaction", planned.call.description, planned.from
            );
            let _ = writeln!(
                text,
                "{:<11}  {} gas, about {}, at most {}; balance {}",
                "cost",
                grouped(planned.gas),
                amount(planned.expected_cost),
                amount(planned.max_cost),
                amount(planned.balance),
            );
        }
        for call in &report.follow_ups {
            let first = report.planned.first();
            let currency = first.map_or("", |planned| Chain::new(planned.chain_id).currency());
            let _ = writeln!(text, "{:<11}  {}", "then", call.description);
            let _ = writeln!(
                text,
                "{:<11}  at most {} gas, at most {} {currency}",
                "cost",
                grouped(call.gas),
                call.max_cost
            );
        }
        for warning in &report.warnings {
            let _ = writeln!(text, "{} {warning}", palette.warning("warning:"));
        }
        for blocker in &report.blockers {
            let _ = writeln!(text, "{} {blocker}", palette.error("error:"));
        }
        match report.stopped {
            _ if report.dry_run => {
                let _ = writeln!(text, "{}", palette.heading("dry run: nothing was sent"));
            }
            Some(StopReason::Blocked) => {
                let _ = writeln!(text, "{}", palette.heading("nothing was sent"));
            }
            _ => {}
        }
        text
    }
}

impl Report for TransactionReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        if let Some(message) = &self.up_to_date {
            let _ = writeln!(text, "{message}");
        }
        for Transaction { description, mined } in &self.transactions {
            let _ = writeln!(
                text,
                "{:<11}  {description}: {} in block {}, {} gas",
                palette.success("mined"),
                mined.transaction,
                mined.block,
                grouped(mined.gas_used)
            );
        }
        if self.stopped == Some(StopReason::Declined) {
            let _ = writeln!(text, "{}", palette.heading("declined: nothing was sent"));
        }
        if let (Some(tool), None) = (&self.tool, self.stopped) {
            let _ = writeln!(text, "{:<11}  {}", "tool", palette.heading(tool));
        }
        text
    }
}
