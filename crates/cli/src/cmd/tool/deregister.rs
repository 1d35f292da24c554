//! `atr tool deregister`.

use alloy_primitives::U256;

use crate::{
    args::ToolName,
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{SendArgs, WriteReport},
};

/// Take a tool back, for good.
///
/// Its id is never given again and its registration cannot be restored. You are asked twice; where nobody can be asked, --yes
/// and --confirm with the tool's id stand for the two answers. To stop a tool for a while, gate it with an
/// AlwaysDenyPredicate instead.
///
/// Exit codes: 0 removed (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to take back
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// The tool's id once more, for scripts; with --yes
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
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let id = tool.id();
        if self.send.yes && self.confirm != Some(id) {
            return Err(Error::SecondConsent { id }.into());
        }
        let sending = self.send.start(context, &registry).await?;
        let from = sending.sender().unwrap_or(config.creator);
        let call = registry.deregister(id);
        let report = WriteReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("manifest", atr_ids::shown(&config.metadata_uri)),
                ("creator", config.creator.to_string()),
            ],
            warnings: vec![
                "a removed tool never comes back, and its id is never given again".to_owned(),
            ],
            planned: vec![sending.plan(call, from).await?],
            ..WriteReport::default()
        };
        let first = format!("Take {tool} back for good?");
        let questions = [first.as_str(), "This cannot be undone. Are you sure?"];
        sending.finish(report, &questions).await
    }
}
