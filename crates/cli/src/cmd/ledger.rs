//! `atr ledger`.

use atr_auth::format_units;
use atr_client::{AuthorizationState, Authorized, LedgerEntry, PaymentState, authorization_state};
use atr_ids::ToolRef;
use serde::Serialize;

use crate::{
    args::Chain,
    context::Context,
    network::node,
    outcome::Outcome,
    output::{Palette, Report, Table, utc_minutes},
    process::{clock, runtime},
};

/// List payments for tool calls
///
/// Prints what was authorized and its status; times are in UTC. A payment is `unknown` if its response was lost: --check reads its
/// status from the token, on the chain of the payment. A rejected payment can be settled until it expires, so the same call sends
/// it again. The ledger is a file in the state directory (ATR_STATE_DIR); every payment is written to it before it is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Read the state of unresolved payments from the chain
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let ledger = context.ledger()?;
    if args.check {
        runtime::block_on(check(context, &ledger.entries()?))??;
    }
    let report = LedgerReport {
        file: ledger.path().display().to_string(),
        payments: ledger.entries()?,
        now: clock::now(),
    };
    context.output.print(&report)?;
    Ok(Outcome::Success)
}

async fn check(context: &Context, entries: &[LedgerEntry]) -> eyre::Result<()> {
    let ledger = context.ledger()?;
    let unresolved = entries.iter().filter(|entry| {
        matches!(
            entry.state,
            PaymentState::Unknown | PaymentState::Answered | PaymentState::Rejected { .. }
        )
    });
    for entry in unresolved {
        let record = &entry.authorized;
        let node = node::connect_on(context, Some(Chain::new(record.chain_id)))?;
        let state = authorization_state(
            &node,
            record.asset,
            record.payer,
            record.nonce,
            record.valid_before,
        );
        let state = match state.await? {
            AuthorizationState::Used => PaymentState::Settled { transaction: None },
            AuthorizationState::Expired => PaymentState::Expired,
            AuthorizationState::Unused | AuthorizationState::Unknown => continue,
        };
        ledger.update(record.payer, record.nonce, state, clock::now())?;
    }
    Ok(())
}

#[derive(Debug, Serialize)]
struct LedgerReport {
    file: String,
    payments: Vec<LedgerEntry>,
    /// Seconds since 1970.
    #[serde(skip)]
    now: u64,
}

impl Report for LedgerReport {
    fn render(&self, palette: &Palette) -> String {
        if self.payments.is_empty() {
            return format!("no payments in {}\n", self.file);
        }
        let heading = ["TIME (UTC)", "AMOUNT", "STATUS", "PAYER", "PAYEE", "TOOL"];
        let mut table = Table::new(heading).with_whole(&[0, 1, 2]);
        for payment in &self.payments {
            let record = &payment.authorized;
            table.add_row([
                utc_minutes(record.time),
                amount(record),
                describe(payment.state),
                record.payer.to_string(),
                record.payee.to_string(),
                tool(&record.tool, &record.name),
            ]);
        }
        let steps = self.payments.iter().filter_map(|payment| {
            let step = next_step(payment, self.now)?;
            Some(format!(
                "{}  {step}\n",
                utc_minutes(payment.authorized.time)
            ))
        });
        table.render(palette) + &steps.collect::<String>()
    }
}

/// What to do about a payment without a response.
fn next_step(payment: &LedgerEntry, now: u64) -> Option<String> {
    let expiry = payment.authorized.valid_before;
    match payment.state {
        PaymentState::Unknown | PaymentState::Rejected { .. } if !payment.answered => {
            Some(if now < expiry {
                let minutes = (expiry - now).div_ceil(60);
                format!(
                    "can be settled for {minutes} more min; the same call sends the same payment again"
                )
            } else {
                "expired; `atr ledger --check` reads from the chain whether it was settled".to_owned()
            })
        }
        PaymentState::Settled { transaction: None } if !payment.answered => Some(
            "was settled without a response; contact the publisher, or pay once more with `atr call --pay-again`"
                .to_owned(),
        ),
        _ => None,
    }
}

/// With the chain of the payment, unless it is the chain of the tool.
fn amount(record: &Authorized) -> String {
    let amount = format_units(record.amount, record.decimals);
    let chain = record.tool.parse::<ToolRef>().map(|tool| tool.chain());
    if chain == Ok(record.chain_id) {
        return format!("{amount} {}", record.symbol);
    }
    let chain = Chain::new(record.chain_id).label();
    format!("{amount} {} on {chain}", record.symbol)
}

/// `oracle (base, tool 7)`.
fn tool(reference: &str, name: &str) -> String {
    match reference.parse::<ToolRef>() {
        Ok(tool) => format!("{name} ({}, tool {})", Chain::new(tool.chain()), tool.id()),
        Err(_) => name.to_owned(),
    }
}

fn describe(state: PaymentState) -> String {
    match state {
        PaymentState::Unknown => "unknown".to_owned(),
        PaymentState::Settled { .. } => "settled".to_owned(),
        PaymentState::Answered => "no receipt".to_owned(),
        PaymentState::Rejected { status } => format!("rejected ({status})"),
        PaymentState::Expired => "expired".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_has_its_name_chain_and_id() {
        let reference = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";
        assert_eq!(tool(reference, "oracle"), "oracle (base, tool 7)");
        assert_eq!(tool("?", "oracle"), "oracle");
    }
}
