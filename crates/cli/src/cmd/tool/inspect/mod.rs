//! `atr tool inspect`.

mod report;

use atr_verify::{Freshness, Verifier};

use crate::{
    args::{FetchArgs, ToolArg},
    cmd::tool::inspect::report::InspectReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::PredicateView,
    process::{clock, runtime},
};

/// Show a tool: creator, manifest, hashes and access predicate
///
/// Shows the registered hash and the hash of the served manifest, and the access predicate with warnings and requirements. `atr
/// verify` prints the details of failed checks.
///
/// Exit codes: 0 verified, 1 failed or not registered, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to inspect
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.inspect(context))?
}

impl Args {
    async fn inspect(&self, context: &Context) -> eyre::Result<Outcome> {
        let client = self.fetch.client(context)?;
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let verifier = Verifier::try_new(registry.clone(), client, Freshness::default())?;
        let verdict = verifier.verify(tool, None, clock::now()).await?;
        let predicate = verdict.evidence().access_predicate;
        let predicate = PredicateView::fetch_optional(&registry, predicate, tool.id()).await?;
        let report = InspectReport::new(verdict, predicate);
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}
