//! `atr tool inspect`.

mod report;

use atr_verify::{Freshness, Verifier};

use crate::{
    args::{BlockArgs, FetchArgs, ToolArg},
    cmd::tool::inspect::report::InspectReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::ToolDetails,
    process::{clock, runtime},
};

/// Show a tool: description, endpoint, price, access and checks
///
/// Shows what the manifest says about the tool, who may call it, the registration, and the four checks of `atr verify`. Manifest data
/// is untrusted unless the tool is verified.
///
/// Exit codes: 0 verified, 1 failed or not registered, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to inspect
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    #[command(flatten)]
    block: BlockArgs,

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
        let registry = self.block.apply(registry).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let verifier = Verifier::try_new(registry.clone(), client, Freshness::default())?;
        let verdict = verifier.verify(tool, None, clock::now()).await?;
        let details = ToolDetails::fetch(&registry, &verdict).await;
        let report = InspectReport::new(verdict, details);
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}
