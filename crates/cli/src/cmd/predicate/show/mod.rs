//! `atr predicate show`.

mod report;

use crate::{
    args::{Account, ToolName},
    cmd::predicate::show::report::ShowReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::GateView,
    process::runtime,
};

/// Show who decides on access to a tool, and by what.
///
/// A predicate's name and requirements are its own words; its code hash is not. The configuration is read where the predicate
/// is of a make we know.
///
/// Exit codes: 0 shown, 1 the tool is not there, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool in question
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// Predicate to look at [default: the one the tool has]
    #[arg(long, value_name = "ADDRESS")]
    predicate: Option<Account>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.show(context))?
}

impl Args {
    async fn show(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let named = self.predicate.map(|account| account.0);
        let predicate = named.or(config.access_predicate);
        let gate = GateView::of_tool(&registry, predicate, tool.id()).await?;
        let facts = gate.as_ref().map(|gate| &gate.predicate);
        let configuration =
            match facts.and_then(|facts| Some((facts.address, facts.name.as_deref()?))) {
                Some((predicate, name)) => {
                    Some(registry.configuration(predicate, name, tool.id()).await?)
                }
                None => None,
            };
        context.output.present(&ShowReport {
            tool: tool.to_string(),
            open: config.access_predicate.is_none(),
            access_predicate: config.access_predicate,
            gate,
            configuration,
        })?;
        Ok(Outcome::Yes)
    }
}
