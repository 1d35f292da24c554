//! `atr predicate show`.

mod report;

use alloy_primitives::{Address, U256};
use atr_registry::{Configuration, ConfigurationState, Registry};

use crate::{
    args::{BlockArgs, PredicateArg, ToolArg},
    cmd::predicate::{
        configuration::describe_state,
        effect::Effect,
        show::report::{ShowReport, TermView},
    },
    context::Context,
    network::registry,
    outcome::Outcome,
    output::{PredicateView, predicate_name},
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

    /// Predicate to inspect, by name or address [default: the access predicate of the tool]
    #[arg(long, value_name = "PREDICATE")]
    predicate: Option<PredicateArg>,

    #[command(flatten)]
    block: BlockArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.show(context))?
}

impl Args {
    async fn show(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let registry = self.block.apply(registry).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let selected = self.predicate;
        let selected = selected.map(|predicate| predicate.address(registry.address()));
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
        let gas = match info {
            Some(info) if info.has_code => {
                Some(registry.predicate_gas(info.address, tool.id()).await?)
            }
            _ => None,
        };
        let terms = match &configuration {
            Some(ConfigurationState::Configured(configuration)) => {
                terms(&registry, tool.id(), configuration).await?
            }
            _ => Vec::new(),
        };
        let description = match &configuration {
            Some(state) => describe_state(state, &registry).await,
            None => Vec::new(),
        };
        let effect = match address {
            Some(address) => {
                let current = config.access_predicate;
                Some(Effect::find(&registry, tool.id(), current, address).await?)
            }
            None => None,
        };
        context.output.print(&ShowReport {
            effect,
            description,
            tool: tool.to_string(),
            open: config.access_predicate.is_none(),
            access_predicate: config.access_predicate,
            predicate,
            configuration,
            gas,
            terms,
        })?;
        Ok(Outcome::Success)
    }
}

/// The terms of a composite; empty for other predicates.
async fn terms(
    registry: &Registry,
    tool_id: U256,
    configuration: &Configuration,
) -> Result<Vec<TermView>, atr_registry::Error> {
    let Configuration::Composite(composite) = configuration else {
        return Ok(Vec::new());
    };
    let mut terms = Vec::new();
    for (index, term) in composite.terms().enumerate() {
        let predicate: Address = term.predicate;
        terms.push(TermView {
            predicate,
            name: predicate_name(registry.address(), predicate),
            negate: term.negate,
            stipend: composite.term_gas.get(index).copied(),
            gas_needed: registry.predicate_gas(predicate, tool_id).await?.needed,
            configured: !registry.is_not_configured(predicate, tool_id).await?,
        });
    }
    Ok(terms)
}
