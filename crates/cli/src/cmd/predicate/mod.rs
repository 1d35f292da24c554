//! `atr predicate`.

mod configuration;
mod configure;
mod set_allowlist;
mod set_composite;
mod set_erc1155;
mod set_erc20;
mod set_erc721;
mod set_subscription;
mod set_trait;
mod show;

use clap::Subcommand;

use crate::{context::Context, outcome::Outcome};

/// Look at the predicate that guards a tool, and configure it.
///
/// A predicate keeps a configuration for each tool, and only the tool's creator can change it. The predicate is the one the
/// tool has, or the one --predicate names; one that serves another registry is refused, because its tools are others. Anything
/// that signs shows a plan first and asks, unless --yes; --dry-run stops at the plan.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Show(show::Args),
    SetErc721(Box<set_erc721::Args>),
    SetErc1155(Box<set_erc1155::Args>),
    SetSubscription(Box<set_subscription::Args>),
    SetErc20(Box<set_erc20::Args>),
    SetTrait(Box<set_trait::Args>),
    SetAllowlist(Box<set_allowlist::Args>),
    SetComposite(Box<set_composite::Args>),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Cmd::Show(args) => show::run(args, context),
        Cmd::SetErc721(args) => set_erc721::run(args, context),
        Cmd::SetErc1155(args) => set_erc1155::run(args, context),
        Cmd::SetSubscription(args) => set_subscription::run(args, context),
        Cmd::SetErc20(args) => set_erc20::run(args, context),
        Cmd::SetTrait(args) => set_trait::run(args, context),
        Cmd::SetAllowlist(args) => set_allowlist::run(args, context),
        Cmd::SetComposite(args) => set_composite::run(args, context),
    }
}
