//! `atr predicate set-subscription`.

use atr_registry::predicates::subscription;

use crate::{
    args::AddressArg, cmd::predicate::configure::ConfigureArgs, context::Context, outcome::Outcome,
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

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = subscription::Configuration {
        collection: args.collection.0,
        min_tier: args.min_tier,
    };
    let configure = args.configure.run(context, |_| Ok(configuration.into()));
    runtime::block_on(configure)?
}
