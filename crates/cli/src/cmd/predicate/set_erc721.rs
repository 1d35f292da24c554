//! `atr predicate set-erc721`.

use atr_registry::Configuration;

use crate::{
    args::Account, cmd::predicate::configure::ConfigureArgs, context::Context, outcome::Outcome,
    process::runtime,
};

/// Let in holders of ERC-721 collections.
///
/// Replaces what was set before. With several collections, holders of any are let in.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// Collection whose holders are let in [repeatable]
    #[arg(long, value_name = "ADDRESS", required = true)]
    collection: Vec<Account>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let collections = args.collection.iter().map(|account| account.0);
    let configuration = Configuration::Erc721 {
        collections: collections.collect(),
    };
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
