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
/// from the token, on the chain of the payment. The ledger is a file in the state directory (ATR_STATE_DIR); every payment is
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
        let mut table = Table::new(["TIME", "AMOUNT", "PAYEE", "STATE", "TOOL"]);
        for payment in &self.payments {
            let record = &payment.authorized;
            table.add_row([
                record.time.to_string(),
                format!(
                    "{} {}",
                    format_units(record.amount, record.decimals),
                    record.symbol
                ),
                record.payee.to_string(),
                describe(payment.state),
                record.name.clone(),
            ]);
        }
        table.render(palette)
    }
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
