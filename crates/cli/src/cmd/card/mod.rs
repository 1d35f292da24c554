//! `atr card`.

mod export;
mod fields;
mod import;
mod init;
mod report;
mod source;
mod validate;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Create, validate and convert Agent Cards
///
/// An Agent Card is a JSON document that binds an ENS name to verbs, to their request and receipt schemas and to an x402 entry. The
/// specification and the published cards differ; `atr card validate` reports which of them a card follows.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Init(init::Args),
    Validate(validate::Args),
    Export(export::Args),
    Import(import::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Init(args) => init::run(args, context),
        Cmd::Validate(args) => validate::run(args, context),
        Cmd::Export(args) => export::run(args, context),
        Cmd::Import(args) => import::run(args, context),
    }
}
