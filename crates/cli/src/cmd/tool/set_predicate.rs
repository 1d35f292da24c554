//! `atr tool set-predicate`.

use std::str::FromStr;

use alloy_primitives::Address;

use crate::{
    args::{AddressArg, InvalidValue, SendArgs, ToolArg},
    cmd::tool::{SelectedPredicate, warnings},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{Sender, TransactionReport},
};

/// Set or remove the access predicate of a tool
///
/// `open` removes the predicate, which opens the tool to everyone. Predicates that belong to another registry are rejected.
/// Prints a warning for a predicate without code, a proxy, and a predicate that does not support ERC-165. Most predicates must
/// be configured for the tool: see `atr predicate`.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to change
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Address of the predicate, or `open`
    #[arg(value_name = "PREDICATE")]
    predicate: PredicateArg,

    #[command(flatten)]
    send: SendArgs,
}

#[derive(Clone, Copy, Debug)]
struct PredicateArg(Option<Address>);

impl FromStr for PredicateArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "open" => Ok(Self(None)),
            // For the registry zero means open; require `open` to avoid mistakes.
            _ => match text.parse()? {
                AddressArg(address) if address.is_zero() => Err(InvalidValue::ZeroPredicate),
                AddressArg(address) => Ok(Self(Some(address))),
            },
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.set(context))?
}

impl Args {
    async fn set(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let from = sender.address().unwrap_or(config.creator);
        registry::ensure_creator(tool, &config, from)?;
        let predicate = SelectedPredicate::fetch(&registry, self.predicate.0).await?;
        let before = SelectedPredicate::describe(config.access_predicate);
        let mut report = TransactionReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                (
                    "predicate",
                    format!("{before}\n-> {}", predicate.description()),
                ),
            ],
            warnings: warnings::predicate_warnings(&registry, &predicate, config.creator).await?,
            next: Some(format!("atr access check {tool} <ACCOUNT>")),
            ..TransactionReport::default()
        };
        if config.access_predicate == predicate.address() {
            report.up_to_date = Some("up to date: nothing to send".to_owned());
            context.output.print(&report)?;
            return Ok(Outcome::Success);
        }
        let call = registry.set_predicate(tool.id(), predicate.address());
        report.planned.push(sender.plan(call, from).await?);
        sender
            .execute_and_print(report, &["Set the access predicate?"])
            .await
    }
}
