//! `atr predicate`.

mod configuration;
mod configure;
mod effect;
mod set_access_proof;
mod set_allowlist;
mod set_composite;
mod set_erc1155;
mod set_erc20;
mod set_erc721;
mod set_subscription;
mod set_trait;
mod show;
mod stipend;

use clap::Subcommand;

pub(crate) use set_composite::Budget;
pub(crate) use stipend::StipendChoice;

use crate::{context::Context, outcome::Outcome};

/// Show and configure access predicates
///
/// A predicate stores a configuration per tool, which only the creator of the tool can change. By default the tool's access
/// predicate is used; --predicate selects another. Predicates that belong to another registry are rejected. Commands that sign
/// print a plan and ask for confirmation, unless --yes is used; --dry-run prints the plan only.
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
    SetAccessProof(Box<set_access_proof::Args>),
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
        Cmd::SetAccessProof(args) => set_access_proof::run(args, context),
        Cmd::SetComposite(args) => set_composite::run(args, context),
    }
}

#[cfg(test)]
mod tests {
    use atr_bindings::PredicateKind;
    use clap::Args as _;

    use super::*;

    #[test]
    fn every_configurable_predicate_has_a_set_command() {
        let command = Args::augment_args(clap::Command::new("predicate"));
        for kind in PredicateKind::ALL {
            let name = format!("set-{}", kind.slug());
            let has_command = command.find_subcommand(&name).is_some();
            assert_eq!(has_command, kind.is_configurable(), "{name}");
        }
    }
}
