//! `atr tool pause`.

use atr_bindings::PredicateKind;

use crate::{
    args::{PredicateArg, SendArgs, ToolArg},
    cmd::tool::{SelectedPredicate, set_predicate::PredicateChange},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::Sender,
};

/// Deny access to everyone until `atr tool unpause`
///
/// Sets the AlwaysDenyPredicate. The current predicate keeps its configuration, and `atr tool unpause` restores it.
///
/// Exit codes: 0 paused (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to pause
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.pause(context))?
}

impl Args {
    async fn pause(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let kind = PredicateKind::AlwaysDeny;
        let address = PredicateArg::Kind(kind).address(registry.address());
        let predicate = SelectedPredicate::fetch(&registry, Some(address)).await?;
        if predicate.info.as_ref().is_some_and(|info| !info.has_code) {
            return Err(Error::PredicateNotDeployed {
                contract: kind.name(),
                address,
                registry: registry.address(),
            }
            .into());
        }
        let restored = SelectedPredicate::describe(&registry, config.access_predicate);
        let change = PredicateChange {
            context,
            lines: vec![(
                "unpause",
                format!("`atr tool unpause {}` restores {restored}", tool.id()),
            )],
            warnings: vec!["every account is denied until the tool is unpaused".to_owned()],
            checks_configuration: false,
            up_to_date: "already paused",
            registry,
            tool,
            config,
            predicate,
        };
        change.send(sender, "Pause the tool?").await
    }
}
