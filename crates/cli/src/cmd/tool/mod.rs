//! `atr tool`.

mod access_predicate;
mod deregister;
mod gate;
mod inspect;
mod list;
mod pause;
mod register;
mod rejection;
mod script;
mod set_predicate;
mod unpause;
mod update;
mod warnings;
mod watch;

use clap::Subcommand;

pub(crate) use access_predicate::SelectedPredicate;
pub(crate) use gate::describe_accounts;

use crate::{context::Context, outcome::Outcome};

/// Register, update and inspect tools
///
/// A tool is given as `eip155:<chain>/erc8257:<registry>/<id>`, as `<id>` in the registry of --registry, or by its manifest URL.
/// Commands that sign print a plan and ask for confirmation, unless --yes is used; --dry-run prints the plan only.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Register(Box<register::Args>),
    Update(Box<update::Args>),
    SetPredicate(Box<set_predicate::Args>),
    Pause(Box<pause::Args>),
    Unpause(Box<unpause::Args>),
    Deregister(Box<deregister::Args>),
    Inspect(inspect::Args),
    List(list::Args),
    Watch(watch::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Register(args) => register::run(args, context),
        Cmd::Update(args) => update::run(args, context),
        Cmd::SetPredicate(args) => set_predicate::run(args, context),
        Cmd::Pause(args) => pause::run(args, context),
        Cmd::Unpause(args) => unpause::run(args, context),
        Cmd::Deregister(args) => deregister::run(args, context),
        Cmd::Inspect(args) => inspect::run(args, context),
        Cmd::List(args) => list::run(args, context),
        Cmd::Watch(args) => watch::run(args, context),
    }
}
