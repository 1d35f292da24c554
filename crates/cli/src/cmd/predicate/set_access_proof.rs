//! `atr predicate set-access-proof`.

use atr_registry::predicates::access_proof;

use crate::{
    args::StipendArg,
    cmd::predicate::configure::{ConfigureArgs, TokenOptions},
    context::Context,
    outcome::Outcome,
    process::runtime,
};

/// Set the gas for the signature check of smart accounts
///
/// The AccessProofPredicate grants access to accounts that signed an AccessProof, without any configuration. The signature of a smart
/// account is checked by the account itself (ERC-1271), with this gas. A multisig with many owners can need more than the default.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Gas for the ERC-1271 call: an amount, or `default`
    #[arg(long, value_name = "GAS", default_value = "default")]
    stipend: StipendArg,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = access_proof::Configuration { stipend: None };
    let options = TokenOptions {
        stipend: Some(args.stipend),
        ..TokenOptions::default()
    };
    let configure = args
        .configure
        .run(context, options, |_, _| Ok(configuration.into()));
    runtime::block_on(configure)?
}
