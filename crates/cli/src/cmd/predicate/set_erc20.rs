//! `atr predicate set-erc20`.

use alloy_primitives::U256;
use atr_registry::predicates::erc20_balance;

use crate::{
    args::{AddressArg, StipendArg},
    cmd::predicate::configure::ConfigureArgs,
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to holders of a minimum ERC-20 balance
///
/// Replaces the current configuration.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// ERC-20 token
    #[arg(long, value_name = "ADDRESS")]
    token: AddressArg,

    /// Minimum balance, in the smallest unit of the token
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    min_balance: U256,

    /// Gas per token call: an amount, `auto` (measured, with a margin) or `default` [default: `auto` if the default stipends are
    /// too small, otherwise `default`]
    #[arg(long, value_name = "GAS")]
    stipend: Option<StipendArg>,

    #[command(flatten)]
    configure: ConfigureArgs,
}

fn amount(text: &str) -> Result<U256, atr_ids::Error> {
    atr_ids::parse_decimal(text)
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = erc20_balance::Configuration {
        token: args.token.0,
        min_balance: args.min_balance,
        stipend: None,
    };
    let configure = args
        .configure
        .run(context, args.stipend, |_, _| Ok(configuration.into()));
    runtime::block_on(configure)?
}
