//! `atr predicate show`.

mod report;

use atr_registry::ConfigurationState;

use crate::{
    args::{AddressArg, ToolArg},
    cmd::predicate::show::report::ShowReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::PredicateView,
    process::runtime,
};

/// Show the access predicate of a tool and its configuration
///
/// Name and requirements are reported by the predicate and are not verified. The code hash is computed from the deployed code. The
/// configuration is shown for known predicates.
///
/// Exit codes: 0 shown, 1 the tool is not registered, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to inspect
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Predicate to inspect [default: the access predicate of the tool]
    #[arg(long, value_name = "ADDRESS")]
    predicate: Option<AddressArg>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.show(context))?
}

impl Args {
    async fn show(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let selected = self.predicate.map(|account| account.0);
        let address = selected.or(config.access_predicate);
        let predicate = PredicateView::fetch_optional(&registry, address, tool.id()).await?;
        let info = predicate.as_ref().map(|predicate| &predicate.info);
        let configuration = match info.map(|info| (info, info.kind())) {
            Some((info, Some(kind))) => Some(
                registry
                    .configuration(info.address, kind, tool.id())
                    .await?,
            ),
            Some((info, None)) => info.name.as_ref().map(|_| ConfigurationState::Unreadable),
            None => None,
        };
        context.output.print(&ShowReport {
            tool: tool.to_string(),
            open: config.access_predicate.is_none(),
            access_predicate: config.access_predicate,
            predicate,
            configuration,
        })?;
        Ok(Outcome::Success)
    }
}
