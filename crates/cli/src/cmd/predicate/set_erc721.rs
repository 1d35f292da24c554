//! `atr predicate set-erc721`.

use atr_registry::predicates::erc721_owner;

use crate::{
    args::{AddressArg, StipendArg, TokenArgs},
    cmd::predicate::configure::{ConfigureArgs, TokenOptions},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to holders of ERC-721 collections
///
/// Replaces the current configuration. Holding a token of any collection grants access.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// ERC-721 collection [repeatable]
    #[arg(long, value_name = "ADDRESS", required = true)]
    collection: Vec<AddressArg>,

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
    let collections = args.collection.iter().map(|account| account.0);
    let configuration = erc721_owner::Configuration {
        collections: collections.collect(),
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
