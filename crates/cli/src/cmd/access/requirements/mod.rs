//! `atr access requirements`.

mod report;

use crate::{
    args::ToolName, cmd::access::requirements::report::RequirementsReport, context::Context,
    network::registry, outcome::Outcome, output::GateView, process::runtime,
};

/// Show what a tool's predicate says it takes to be let in.
///
/// The list is a hint: the predicate decides, see `atr access check`. A list that cannot be read denies nobody.
///
/// Exit codes: 0 shown, 1 the tool is not there, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool in question
    #[arg(value_name = "TOOL")]
    tool: ToolName,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.show(context))?
}

impl Args {
    async fn show(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let gate = GateView::of_tool(&registry, config.access_predicate, tool.id()).await?;
        let report = RequirementsReport {
            tool: tool.to_string(),
            open: gate.is_none(),
            gate,
        };
        context.output.present(&report)?;
        Ok(report.outcome())
    }
}
