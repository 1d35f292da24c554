//! `atr card`.

mod bind;
mod export;
mod fields;
mod import;
mod init;
mod report;
pub(crate) mod resolve;
mod source;
mod validate;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Create, validate, resolve, bind and convert Agent Cards
///
/// An Agent Card is a JSON document that binds an ENS name to verbs, to their request and receipt schemas and to an x402 entry. The
/// specification and the published cards differ; `atr card validate` reports which of them a card follows. `atr card resolve` compares the
/// card of an ENS name with the TXT records of the name and with the schemas of its verb.
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
    Resolve(Box<resolve::Args>),
    Bind(Box<bind::Args>),
    Export(export::Args),
    Import(import::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Init(args) => init::run(args, context),
        Cmd::Validate(args) => validate::run(args, context),
        Cmd::Resolve(args) => resolve::run(args, context),
        Cmd::Bind(args) => bind::run(args, context),
        Cmd::Export(args) => export::run(args, context),
        Cmd::Import(args) => import::run(args, context),
    }
}
