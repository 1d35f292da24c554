//! `atr tool deregister`.

use alloy_primitives::U256;

use crate::{
    args::{SendArgs, ToolArg},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{Confirmation, Sender, TransactionReport},
};

/// Deregister a tool permanently
///
/// Deregistration is irreversible, and the id is never reused. Asks to type the id; scripts use --yes and --confirm <ID>.
/// To disable a tool temporarily, use `atr tool pause` instead.
///
/// Exit codes: 0 deregistered (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to deregister
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Id of the tool, to confirm; requires --yes
    #[arg(long, value_name = "ID", requires = "yes")]
    confirm: Option<U256>,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.deregister(context))?
}

impl Args {
    async fn deregister(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let id = tool.id();
        if self.send.yes && self.confirm != Some(id) {
            return Err(Error::DeregisterNotConfirmed { id }.into());
        }
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let from = sender.address().unwrap_or(config.creator);
        registry::ensure_creator(tool, &config, from)?;
        let call = registry.deregister(id);
        let report = TransactionReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("manifest", atr_ids::sanitize(&config.metadata_uri)),
                ("creator", config.creator.to_string()),
            ],
            warnings: vec!["deregistration is irreversible, and the id is never reused".to_owned()],
            planned: vec![sender.plan(call, from).await?],
            ..TransactionReport::default()
        };
        let expected = id.to_string();
        let confirmation = Confirmation::Typed {
            prompt: &format!("To deregister tool {id} permanently, type its id:"),
            expected: &expected,
        };
        sender.execute_and_print(report, &confirmation).await
    }
}
