//! `atr access`.

mod check;
mod data;
mod preview;
mod proof;
mod question;
mod requirements;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Check access to tools
///
/// Access is granted, denied or unknown. The registry calls the tool's access predicate. A tool without a predicate is
/// open to everyone.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Check(check::Args),
    Preview(preview::Args),
    Proof(proof::Args),
    Requirements(requirements::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Check(args) => check::run(args, context),
        Cmd::Preview(args) => preview::run(args, context),
        Cmd::Proof(args) => proof::run(args, context),
        Cmd::Requirements(args) => requirements::run(args, context),
    }
}
