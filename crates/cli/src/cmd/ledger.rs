//! `atr ledger`.

use atr_auth::format_units;
use atr_client::{AuthorizationState, LedgerEntry, PaymentState, authorization_state};
use serde::Serialize;

use crate::{
    args::Chain,
    context::Context,
    network::node,
    outcome::Outcome,
    output::{Palette, Report, Table},
    process::{clock, runtime},
};

/// List payments for tool calls
///
/// Prints what was authorized and what became of it. A payment is `unknown` if its answer was lost: --check reads its state
/// from the token, on the chain of the payment. A rejected payment can be settled until it expires, so the same call sends it again. The ledger is a file in the state directory (ATR_STATE_DIR); every payment is
/// written to it before it is sent.
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
}

impl Report for LedgerReport {
    fn render(&self, palette: &Palette) -> String {
        if self.payments.is_empty() {
            return format!("no payments in {}\n", self.file);
        }
        let mut table = Table::new(["TIME (UTC)", "AMOUNT", "PAYER", "PAYEE", "STATE", "TOOL"]);
        for payment in &self.payments {
            let record = &payment.authorized;
            table.add_row([
                utc(record.time),
                format!(
                    "{} {} on {}",
                    format_units(record.amount, record.decimals),
                    record.symbol,
                    Chain::new(record.chain_id).label()
                ),
                record.payer.to_string(),
                record.payee.to_string(),
                describe(payment.state),
                format!("{} ({})", record.name, record.tool),
            ]);
        }
        let now = clock::now();
        let steps = self.payments.iter().filter_map(|payment| {
            let step = next_step(payment, now)?;
            Some(format!("{}  {step}\n", utc(payment.authorized.time)))
        });
        table.render(palette) + &steps.collect::<String>()
    }
}

/// What to do about a payment without an answer.
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
                "has ended; `atr ledger --check` reads from the chain whether it was settled".to_owned()
            })
        }
        PaymentState::Settled { transaction: None } if !payment.answered => Some(
            "was settled without an answer; ask the publisher, or pay once more with `atr call --pay-again`"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Seconds since 1970 as date and time.
fn utc(seconds: u64) -> String {
    let (mut days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while year < 9999 && days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, day) = (minutes / 60, minutes % 60, days + 1);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

fn describe(state: PaymentState) -> String {
    match state {
        PaymentState::Unknown => "unknown".to_owned(),
        PaymentState::Settled { .. } => "settled".to_owned(),
        PaymentState::Answered => "answered, no receipt".to_owned(),
        PaymentState::Rejected { status } => format!("rejected ({status})"),
        PaymentState::Expired => "expired, not paid".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_400, "2000-02-29 00:00"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_795_000_281, "2026-11-18 11:11"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }
}
