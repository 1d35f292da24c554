//! `atr predicate set-erc20`.

use alloy_primitives::U256;
use atr_registry::Configuration;

use crate::{
    args::Account, cmd::predicate::configure::ConfigureArgs, context::Context, outcome::Outcome,
    process::runtime,
};

/// Let in balances of at least an amount of an ERC-20 token.
///
/// Replaces what was set before.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// Token
    #[arg(long, value_name = "ADDRESS")]
    token: Account,

    /// Least balance that is let in, in the token's smallest unit
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    min_balance: U256,
}

fn amount(text: &str) -> Result<U256, atr_ids::Error> {
    atr_ids::parse_decimal(text)
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = Configuration::Erc20 {
        token: args.token.0,
        min_balance: args.min_balance,
    };
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
