//! Plan and result of the transactions of one command.

use std::{fmt::Write, path::PathBuf};

use alloy_primitives::Address;
use atr_registry::ToolEvent;
use atr_rpc::{Call, MinedTransaction, TransactionPlan, Wei};
use atr_verify::card::TxtRecord;
use serde::Serialize;

use crate::{
    args::Chain,
    outcome::Outcome,
    output::{Palette, Report, Table, field, grouped, hints},
};

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransactionReport {
    /// `None` until a registration has assigned an id.
    pub(crate) tool: Option<String>,
    /// The expression of `--gate`, in its normal form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gate: Option<String>,
    /// Label and value of each line printed above the transactions.
    #[serde(skip)]
    pub(crate) lines: Vec<(&'static str, String)>,
    /// Records of an ENS name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) records: Vec<TxtRecord>,
    pub(crate) warnings: Vec<String>,
    pub(crate) planned: Vec<TransactionPlan>,
    pub(crate) follow_ups: Vec<FollowUp>,
    /// Calls for another signer; before execution those that follow the planned ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unsigned: Vec<Call>,
    /// How to execute a transaction of `--script`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) script: Option<ScriptReport>,
    /// The file of `--safe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) safe_file: Option<PathBuf>,
    /// The most that all transactions together can cost.
    pub(crate) max_cost: Option<Wei>,
    /// Whether `--max-cost` sets `max_cost`.
    #[serde(skip)]
    pub(crate) has_cost_limit: bool,
    /// Whether the transactions register a tool, so that they must not be repeated.
    #[serde(skip)]
    pub(crate) is_registration: bool,
    /// Reasons why the plan cannot be executed.
    pub(crate) blockers: Vec<String>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) dry_run: bool,
    #[serde(skip)]
    pub(crate) stopped: Option<StopReason>,
    /// Whether the node is on this machine: a block explorer does not know its transactions.
    #[serde(skip)]
    pub(crate) is_local_node: bool,
    /// Whether a follow-up transaction failed.
    #[serde(skip)]
    pub(crate) is_incomplete: bool,
    /// Printed if there is nothing to send.
    #[serde(skip)]
    pub(crate) up_to_date: Option<String>,
    /// Command to run after the transactions.
    #[serde(skip)]
    pub(crate) next: Option<String>,
}

/// How to execute a transaction of `RegistrationScript`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScriptReport {
    pub(crate) address: Address,
    /// As in a Safe transaction: 0 is a call, 1 is a delegatecall.
    pub(crate) operation: u8,
    /// The EIP-7702 delegate to authorize in the same transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) authorization: Option<Address>,
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
    /// Written for another signer.
    Unsigned,
    Blocked,
    Declined,
}

/// A mined transaction.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Transaction {
    description: String,
    /// `None` if no explorer of the chain is known.
    explorer_url: Option<String>,
    #[serde(flatten)]
    mined: MinedTransaction,
    /// Events of the called contract.
    events: Vec<ToolEvent>,
    #[serde(skip)]
    currency: &'static str,
}

/// The plan, printed before the confirmation prompt.
#[derive(Debug, Serialize)]
pub(crate) struct PlanView<'a>(&'a TransactionReport);

impl TransactionReport {
    pub(crate) const fn plan(&self) -> PlanView<'_> {
        PlanView(self)
    }

    /// The most that the follow-ups can cost, without the first ones.
    pub(super) fn follow_up_cost(&self, skipped: usize) -> Wei {
        let follow_ups = self.follow_ups.iter().skip(skipped);
        let costs = follow_ups.map(|call| call.max_cost);
        costs.fold(Wei::default(), Wei::saturating_add)
    }

    /// Sets `blockers` and, if the plan must not be executed, `stopped`. Returns the most that all transactions can cost, which
    /// `limit` sets explicitly.
    pub(super) fn check_blockers(&mut self, dry_run: bool, limit: Option<Wei>) -> Wei {
        self.dry_run = dry_run;
        let follow_ups = self.follow_up_cost(0);
        let sum = |cost: fn(&TransactionPlan) -> Wei| {
            let costs = self.planned.iter().map(cost);
            costs.fold(follow_ups, Wei::saturating_add)
        };
        let total = limit.unwrap_or_else(|| sum(|plan| plan.max_cost));
        let needed = sum(TransactionPlan::lowest_max_cost);
        // Otherwise the limit is an error, and the plan shows what the transactions cost.
        if needed <= total {
            for planned in &mut self.planned {
                planned.max_cost = planned.max_cost.min(total);
            }
        }
        let mut blockers: Vec<_> = self
            .planned
            .iter()
            .filter_map(|planned| {
                let additional = follow_ups.min(total.saturating_sub(planned.max_cost));
                let with_follow_ups = || planned.insufficient_funds(additional, "all transactions");
                planned.blocker().or_else(with_follow_ups)
            })
            .collect();
        if needed > total {
            blockers.push(atr_rpc::Error::CostLimit {
                call: "all transactions".to_owned(),
                needed,
                available: total,
                chain_id: self.planned.first().map_or(0, |planned| planned.chain_id),
            });
        }
        self.blockers = blockers.iter().map(hints::rpc_blocker).collect();
        self.max_cost = Some(total);
        self.has_cost_limit = limit.is_some();
        self.stopped = match (self.blockers.is_empty(), dry_run) {
            (false, _) => Some(StopReason::Blocked),
            (true, true) => Some(StopReason::DryRun),
            (true, false) => None,
        };
        total
    }

    /// Symbol of the native currency.
    fn currency(&self) -> &'static str {
        let first = self.planned.first();
        first.map_or("", |planned| Chain::new(planned.chain_id).currency())
    }

    /// The transactions of a plan with their costs.
    fn costs(&self, palette: &Palette) -> String {
        let currency = self.currency();
        let amount = |amount: Wei| format!("{amount} {currency}");
        // What the first attempt and the planned replacements of a transaction can cost.
        let at_most = |cost: Wei| format!("at most {} with fee increases", amount(cost));
        let mut text = String::new();
        // Writing to a string cannot fail.
        for planned in &self.planned {
            if let Some(hash) = planned.pending {
                text += &field("continues", &format!("{hash} of an earlier run"));
            }
        }
        let Some(first) = self.planned.first() else {
            return text;
        };
        if let ([planned], []) = (self.planned.as_slice(), self.follow_ups.as_slice()) {
            let description = &planned.call.description;
            text += &field(
                "transaction",
                &format!("{description} from {}", planned.from),
            );
            let cost = format!(
                "{} gas, about {}, {}",
                grouped(planned.gas),
                amount(planned.expected_cost),
                at_most(planned.max_cost)
            );
            text += &field(
                "cost",
                &format!("{cost}; balance {}", amount(planned.balance)),
            );
        } else {
            let mut table = Table::new(["TRANSACTION", "GAS", "MAX COST"]).with_right_aligned(&[1]);
            for planned in &self.planned {
                let description = planned.call.description.clone();
                table.add_row([description, grouped(planned.gas), amount(planned.max_cost)]);
            }
            for call in &self.follow_ups {
                let gas = format!("≤ {}", grouped(call.gas));
                table.add_row([call.description.clone(), gas, amount(call.max_cost)]);
            }
            let _ = write!(text, "\n{}\n", table.render(palette));
            text += &field("from", &first.from.to_string());
            text += &field("balance", &amount(first.balance));
        }
        let is_shown = self.has_cost_limit || !self.follow_ups.is_empty();
        if let Some(total) = self.max_cost.filter(|_| is_shown) {
            let total = if self.has_cost_limit {
                format!("at most {} (--max-cost)", amount(total))
            } else {
                at_most(total)
            };
            text += &field("total", &total);
        }
        text
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        match self.stopped {
            None | Some(StopReason::DryRun | StopReason::Unsigned) => Outcome::Success,
            Some(StopReason::Blocked | StopReason::Declined) => Outcome::Failure,
        }
    }

    pub(super) fn add(
        &mut self,
        planned: &TransactionPlan,
        mined: MinedTransaction,
        events: Vec<ToolEvent>,
    ) {
        let chain = Chain::new(planned.chain_id);
        self.transactions.push(Transaction {
            description: planned.call.description.clone(),
            explorer_url: chain
                .explorer_url(mined.transaction)
                .filter(|_| !self.is_local_node),
            mined,
            events,
            currency: chain.currency(),
        });
    }
}

impl Report for PlanView<'_> {
    fn render(&self, palette: &Palette) -> String {
        let report = self.0;
        let mut text = String::new();
        // Writing to a string cannot fail.
        for (name, value) in &report.lines {
            text += &field(name, value);
        }
        text += &report.costs(palette);
        // Without a prompt, `--quiet` hides them.
        let is_hidden = report.dry_run && !palette.shows_hints();
        for warning in report.warnings.iter().filter(|_| !is_hidden) {
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
        if !self.unsigned.is_empty() && self.safe_file.is_none() {
            text += &super::unsigned::render(&self.unsigned);
        }
        if let Some(path) = &self.safe_file {
            let _ = writeln!(text, "{:<11}  {}", "batch", path.display());
        }
        for Transaction {
            description,
            explorer_url,
            mined,
            currency,
            ..
        } in &self.transactions
        {
            let gas = mined.gas_used.map(|gas| format!(", {} gas", grouped(gas)));
            let fee = mined.fee.map(|fee| format!(", fee {fee} {currency}"));
            let _ = writeln!(
                text,
                "{}  {description}: {} in block {}{}{}",
                palette.success(&format!("{:<11}", "mined")),
                // The whole hash was printed when the transaction was sent.
                palette.hash(mined.transaction),
                mined.block,
                gas.unwrap_or_default(),
                fee.unwrap_or_default(),
            );
            if let Some(url) = explorer_url {
                text += &field("explorer", url);
            }
        }
        if self.stopped == Some(StopReason::Declined) {
            let _ = writeln!(text, "{}", palette.heading("declined: nothing was sent"));
        }
        if let (Some(tool), None) = (&self.tool, self.stopped) {
            text += &field("tool", &palette.heading(tool));
        }
        let shows_next = match self.stopped {
            None => !self.is_incomplete,
            Some(StopReason::Unsigned) => self.script.is_some(),
            Some(_) => false,
        };
        if let (Some(command), true) = (&self.next, shows_next) {
            text += &palette.next(command);
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }

    fn refusal(&self) -> Option<String> {
        match self.stopped {
            Some(StopReason::Blocked) => Some(self.blockers.join("; ")),
            Some(StopReason::Declined) => Some("declined".to_owned()),
            Some(StopReason::DryRun | StopReason::Unsigned) | None => None,
        }
    }
}
