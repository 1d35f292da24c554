//! `atr tool unpause`.

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_ids::ToolRef;
use atr_registry::Registry;

use crate::{
    args::{PredicateArg, PredicateOrOpen, SendArgs, ToolArg},
    cmd::tool::{SelectedPredicate, set_predicate::PredicateChange},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::Sender,
};

/// Restore the access predicate that a paused tool had
///
/// Finds the predicate in the events of the registry; --predicate sets another. Prints a warning if the tool was open.
///
/// Exit codes: 0 restored (with --dry-run: the plan can be executed), 1 not paused, reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to unpause
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Predicate to set: a name, an address, or `open` [default: the last one before the pause]
    #[arg(long, value_name = "PREDICATE")]
    predicate: Option<PredicateOrOpen>,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.unpause(context))?
}

impl Args {
    async fn unpause(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let deny = PredicateArg::Kind(PredicateKind::AlwaysDeny).address(registry.address());
        if config.access_predicate != Some(deny) {
            let current = SelectedPredicate::describe(&registry, config.access_predicate);
            return Err(Error::NotPaused {
                id: tool.id(),
                current,
            }
            .into());
        }
        let mut lines = Vec::new();
        let restored = match self.predicate {
            Some(predicate) => predicate.address(registry.address()),
            None => {
                let (predicate, block) = previous(&registry, tool, deny).await?;
                let text = format!("the predicate since block {block}, before the pause");
                lines.push(("restores", text));
                predicate
            }
        };
        let warnings = match restored {
            Some(_) => Vec::new(),
            None => vec!["the tool will be open to everyone".to_owned()],
        };
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let predicate = SelectedPredicate::fetch(&registry, restored).await?;
        let change = PredicateChange {
            context,
            lines,
            warnings,
            checks_configuration: true,
            up_to_date: "up to date: nothing to send",
            registry,
            tool,
            config,
            predicate,
        };
        change.send(sender, "Unpause the tool?").await
    }
}

/// The predicate before the pause, and the block since which the tool had it.
async fn previous(
    registry: &Registry,
    tool: ToolRef,
    deny: Address,
) -> eyre::Result<(Option<Address>, u64)> {
    let event = registry.previous_predicate(tool.id(), Some(deny)).await?;
    let event = event.ok_or(Error::NeverUnpaused { id: tool.id() })?;
    let predicate = event.event.access_predicate().flatten();
    Ok((predicate, event.block))
}
