//! `atr predicate set-trait`.

use atr_registry::predicates::trait_gated;

use crate::{
    args::{AddressArg, Bytes32, StipendArg, TokenArgs},
    cmd::predicate::configure::{ConfigureArgs, TokenOptions},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to holders of a token with a trait (ERC-7496)
///
/// Replaces the current configuration. Callers pass the ABI-encoded token id as `data` (`atr access check --data`).
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// ERC-721 collection
    #[arg(long, value_name = "ADDRESS")]
    collection: AddressArg,

    /// Contract that stores the traits [default: the collection]
    #[arg(long, value_name = "ADDRESS")]
    traits_contract: Option<AddressArg>,

    /// Trait key, 32 bytes, as in the trait metadata of the collection (ERC-7496)
    #[arg(long, value_name = "BYTES32")]
    trait_key: Bytes32,

    /// Allowed trait value, 32 bytes [repeatable]
    #[arg(long, value_name = "BYTES32", required = true)]
    value: Vec<Bytes32>,

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
    let configuration = trait_gated::Configuration {
        collection: args.collection.0,
        traits_contract: args.traits_contract.unwrap_or(args.collection).0,
        trait_key: args.trait_key.0,
        allowed_values: args.value.iter().map(|value| value.0).collect(),
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
