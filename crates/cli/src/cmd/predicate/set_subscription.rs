//! `atr predicate set-subscription`.

use atr_registry::Configuration;

use crate::{
    args::Account, cmd::predicate::configure::ConfigureArgs, context::Context, outcome::Outcome,
    process::runtime,
};

/// Let in running subscriptions of a tier or higher.
///
/// Replaces what was set before.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// Collection of the subscriptions
    #[arg(long, value_name = "ADDRESS")]
    collection: Account,

    /// Lowest tier that is let in
    #[arg(long, value_name = "NUMBER")]
    min_tier: u8,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = Configuration::Subscription {
        collection: args.collection.0,
        min_tier: args.min_tier,
    };
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
