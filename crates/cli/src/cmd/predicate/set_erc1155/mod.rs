//! `atr predicate set-erc1155`.

mod tokens;

use atr_registry::Configuration;

use crate::{
    cmd::predicate::{configure::ConfigureArgs, set_erc1155::tokens::TokensArg},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Let in holders of ERC-1155 tokens.
///
/// Replaces what was set before. With several tokens, holders of any are let in.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// Tokens whose holders are let in, as COLLECTION:ID or COLLECTION:ID,ID [repeatable]
    #[arg(long, value_name = "TOKENS", required = true)]
    token: Vec<TokensArg>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = Configuration::Erc1155 {
        tokens: TokensArg::joined(&args.token),
    };
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
