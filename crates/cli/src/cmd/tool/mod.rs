//! `atr tool`.

mod deregister;
mod gate;
mod inspect;
mod list;
mod register;
mod rejection;
mod set_predicate;
mod update;
mod warnings;
mod watch;

use clap::Subcommand;

pub(crate) use gate::{Gate, known_predicate};

use crate::{context::Context, outcome::Outcome};

/// Register tools, look at them, and change what is registered.
///
/// A tool is named `eip155:<chain>/erc8257:<registry>/<id>`, or `<id>` in the registry of --registry, or by the URL of its
/// manifest. Anything that signs shows a plan first and asks, unless --yes; --dry-run stops at the plan.
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
        Cmd::Deregister(args) => deregister::run(args, context),
        Cmd::Inspect(args) => inspect::run(args, context),
        Cmd::List(args) => list::run(args, context),
        Cmd::Watch(args) => watch::run(args, context),
    }
}
