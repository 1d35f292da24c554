//! `atr predicate set-erc1155`.

mod tokens;

use atr_registry::predicates::erc1155_owner;

use crate::{
    args::{StipendArg, TokenArgs},
    cmd::predicate::{
        configure::{ConfigureArgs, TokenOptions},
        set_erc1155::tokens::TokensArg,
    },
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to holders of ERC-1155 tokens
///
/// Replaces the current configuration. Holding any of the tokens grants access.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// ERC-1155 tokens, as COLLECTION:ID or COLLECTION:ID,ID [repeatable]
    #[arg(long, value_name = "TOKENS", required = true)]
    token: Vec<TokensArg>,

    /// Gas per unit: an amount, `auto` (measured, with a margin) or `default` [default: `auto` if the default stipends are too
    /// small, otherwise `default`]
    ///
    /// A collection has 4 units plus 1 per token id.
    #[arg(long, value_name = "GAS")]
    stipend: Option<StipendArg>,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = erc1155_owner::Configuration {
        tokens: TokensArg::merge(&args.token),
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
