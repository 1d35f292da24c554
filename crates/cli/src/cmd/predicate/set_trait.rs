//! `atr predicate set-trait`.

use atr_registry::{Configuration, predicates::TraitGate};

use crate::{
    args::{Account, Word},
    cmd::predicate::configure::ConfigureArgs,
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Let in holders of a token with a trait (ERC-7496).
///
/// Replaces what was set before. Who wants in names the token in the call's data, ABI-encoded.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// Collection of the token
    #[arg(long, value_name = "ADDRESS")]
    collection: Account,

    /// Contract that knows the traits [default: the collection]
    #[arg(long, value_name = "ADDRESS")]
    traits_contract: Option<Account>,

    /// Key of the trait, 32 bytes
    #[arg(long, value_name = "WORD")]
    trait_key: Word,

    /// Value of the trait that is let in, 32 bytes [repeatable]
    #[arg(long, value_name = "WORD", required = true)]
    value: Vec<Word>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = Configuration::Trait(TraitGate {
        collection: args.collection.0,
        traits_contract: args.traits_contract.unwrap_or(args.collection).0,
        trait_key: args.trait_key.0,
        allowed_values: args.value.iter().map(|value| value.0).collect(),
    });
    let set = args.configure.configure(context, |_| Ok(configuration));
    runtime::block_on(set)?
}
