//! `atr access requirements`.

use atr_registry::Introspection;
use serde::Serialize;

use crate::{
    args::{BlockArgs, ToolArg},
    context::Context,
    network::registry,
    outcome::Outcome,
    output::{Palette, PredicateView, Report},
    process::runtime,
};

/// Show the access requirements of a tool
///
/// The requirements are those reported by the predicate and are informative only: `atr access check` evaluates access. A predicate
/// that does not report its requirements can still grant access.
///
/// Exit codes: 0 shown, 1 the tool is not registered, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to inspect
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

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
        let predicate =
            PredicateView::fetch_optional(&registry, config.access_predicate, tool.id()).await?;
        let report = RequirementsReport {
            tool: tool.to_string(),
            open: predicate.is_none(),
            predicate,
        };
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}

#[derive(Debug, Serialize)]
struct RequirementsReport {
    tool: String,
    /// Whether the tool has no access predicate.
    open: bool,
    predicate: Option<PredicateView>,
}

impl RequirementsReport {
    const fn outcome(&self) -> Outcome {
        match &self.predicate {
            None => Outcome::Success,
            Some(predicate) => match predicate.requirements {
                Introspection::Known { .. } => Outcome::Success,
                _ => Outcome::Unknown,
            },
        }
    }
}

impl Report for RequirementsReport {
    fn render(&self, palette: &Palette) -> String {
        let tool = format!("{:<10}  {}\n", "tool", self.tool);
        match &self.predicate {
            None => format!("{tool}{:<10}  none: open to everyone\n", "predicate"),
            Some(predicate) => format!(
                "{tool}{:<10}  {}\n{}{}",
                "predicate",
                predicate.title(),
                predicate.render_requirements(),
                predicate.render_warnings(palette)
            ),
        }
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
