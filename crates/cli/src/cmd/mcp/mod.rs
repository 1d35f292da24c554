//! `atr mcp`.

use atr_api::mcp::{McpServer, stdio};

use crate::{
    cmd::index::SourceArgs, context::Context, outcome::Outcome, process::runtime,
};

/// Serve the index to an agent over stdio (MCP)
///
/// Speaks the Model Context Protocol on standard input and output, in its revisions from 2024-11-05 to 2026-07-28. Add it to the
/// configuration of a host, which starts and ends it. The tools search_tools, get_tool and get_wallet_tools read the index of a server
/// (--api), or the local database that `atr index` and `atr serve` fill. They return verified tools only.
///
/// Exit codes: 0 the host closed the connection, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

const EXAMPLES: &str = "\
Examples:
  atr mcp --api https://index.example
  claude mcp add atr -- atr mcp --api https://index.example";

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on_threads(args.serve(context))?
}

impl Args {
    async fn serve(&self, context: &Context) -> eyre::Result<Outcome> {
        let source = self.source.follow(context).await?;
        stdio::serve(McpServer::private(source)).await?;
        Ok(Outcome::Success)
    }
}
