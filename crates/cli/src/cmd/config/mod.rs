//! `atr config`.

mod get;
mod report;
mod show;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Show settings and their sources
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Show(show::Args),
    Get(get::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Show(args) => show::run(args, context),
        Cmd::Get(args) => get::run(args, context),
    }
}
