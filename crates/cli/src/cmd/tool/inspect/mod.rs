//! `atr tool inspect`.

mod report;

use atr_verify::{Freshness, Verifier};

use crate::{
    args::{GuardArgs, ToolName},
    cmd::tool::inspect::report::InspectReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::GateView,
    process::{clock, runtime},
};

/// Show what is known of a tool: creator, manifest, hashes, gate.
///
/// The registered hash is shown beside that of what is served now, the predicate with what should be known of it and what it
/// says it takes to be let in. `atr verify` says more about a check that fails.
///
/// Exit codes: 0 the tool holds, 1 it does not or is gone, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to look at
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    #[command(flatten)]
    guard: GuardArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.inspect(context))?
}

impl Args {
    async fn inspect(&self, context: &Context) -> eyre::Result<Outcome> {
        let door = self.guard.door(context)?;
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let verifier = Verifier::try_new(registry.clone(), door, Freshness::default())?;
        let verdict = verifier.verify(tool, None, clock::now()).await?;
        let predicate = verdict.evidence().access_predicate;
        let gate = GateView::of_tool(&registry, predicate, tool.id()).await?;
        let report = InspectReport::new(verdict, gate);
        context.output.present(&report)?;
        Ok(report.outcome())
    }
}
