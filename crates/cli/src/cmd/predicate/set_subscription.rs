//! `atr predicate set-subscription`.

use atr_registry::predicates::subscription;

use crate::{
    args::{AddressArg, StipendArg, TokenArgs},
    cmd::predicate::configure::{ConfigureArgs, TokenOptions},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to accounts with an active subscription of a minimum tier
///
/// Replaces the current configuration.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Subscription collection
    #[arg(long, value_name = "ADDRESS")]
    collection: AddressArg,

    /// Minimum tier
    #[arg(long, value_name = "TIER")]
    min_tier: u8,

    /// Gas per token call: an amount, `auto` (measured, with a margin) or `default` [default: `auto` if the default stipends are
    /// too small, otherwise `default`]
    #[arg(long, value_name = "GAS")]
    stipend: Option<StipendArg>,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = subscription::Configuration {
        collection: args.collection.0,
        min_tier: args.min_tier,
        stipend: None,
    };
    let options = TokenOptions {
        stipend: args.stipend,
        tokens: args.tokens,
    };
    let configure = args
        .configure
        .run(context, options, |_, _| Ok(configuration.into()));
    runtime::block_on(configure)?
}
