//! `atr manifest`.

mod canonical_form;
mod canonicalize;
mod finding;
mod hash;
mod init;
mod lint;
mod report;
mod source;
mod validate;

use clap::Subcommand;

pub(crate) use finding::render_findings;

use crate::{context::Context, outcome::Outcome};

/// Create, validate and hash tool manifests
///
/// A manifest is a JSON document that describes a tool: name, endpoint, inputs, outputs, price and access requirements. It is
/// served at `<origin>/.well-known/ai-tool/<slug>.json`. The registry stores the keccak256 hash of its canonical form (RFC 8785).
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
    Lint(lint::Args),
    Canonicalize(canonicalize::Args),
    Hash(hash::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Init(args) => init::run(args, context),
        Cmd::Validate(args) => validate::run(args, context),
        Cmd::Lint(args) => lint::run(args, context),
        Cmd::Canonicalize(args) => canonicalize::run(args, context),
        Cmd::Hash(args) => hash::run(args, context),
    }
}
