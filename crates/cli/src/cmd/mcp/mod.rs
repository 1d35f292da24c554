//! `atr mcp`.

mod calls;
mod pins;
mod policy;

use std::{path::PathBuf, sync::Arc};

use atr_api::mcp::{Caller, McpServer, Toolset, stdio};

use self::{
    calls::{CallsAreOff, UserCalls},
    policy::PolicyArgs,
};
use crate::{
    args::FetchArgs, cmd::index::SourceArgs, context::Context, outcome::Outcome, process::runtime,
    signer::SignerArgs,
};

/// Serve the index to an agent over stdio (MCP)
///
/// Speaks the Model Context Protocol on standard input and output, in its revisions from 2024-11-05 to 2026-07-28. Add it to the
/// configuration of a host, which starts and ends it. The tools search_tools, get_tool and get_wallet_tools read the index of a server
/// (--api), or the local database that `atr index` and `atr serve` fill. They return verified tools only.
///
/// call_tool calls a verified tool as `atr call` does. It is off without --max-per-call. Each tool is verified again before it is
/// called. A payment must be within the limits; the host asks the user if it can (elicitation). A demand that differs from the manifest
/// is never paid without asking. Payments are recorded in the ledger before they are sent (`atr ledger`), and the limit of 24 hours
/// counts all payments in it.
///
/// --toolset lists up to 20 registered tools by name, each as one manifest: a tool that its publisher changes is not called until the
/// host is restarted.
///
/// Hosts start servers in the directories of projects: atr.toml and foundry.toml of the working directory are not used, only the file of
/// --config and a foundry.toml beside it.
///
/// Exit codes: 0 the host closed the connection, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// File with registered tools that are listed by name, at most 20
    #[arg(long, value_name = "FILE")]
    toolset: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    signer: SignerArgs,
}

const EXAMPLES: &str = "\
File of --toolset:
  [[tool]]
  ref = \"eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7\"
  name = \"price-oracle\"  # default: the name in the manifest
  hash = \"0x…\"           # default: the manifest that is registered now

Examples:
  atr mcp --api https://index.example
  claude mcp add atr -- atr mcp --api https://index.example
  ATR_PRIVATE_KEY=0x… atr mcp --max-per-call 0.05 --max-per-day 1";

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on_threads(args.serve(context))?
}

impl Args {
    async fn serve(&self, context: &Context) -> eyre::Result<Outcome> {
        let pins = self.toolset.as_deref().map(pins::read).transpose()?;
        let source = self.source.follow(context).await?;
        let toolset = match pins {
            Some(pins) => pins::load(&*source, &pins).await,
            None => Toolset::default(),
        };
        let caller: Arc<dyn Caller> = match self.policy.limits() {
            None => Arc::new(CallsAreOff),
            Some(limits) => Arc::new(UserCalls {
                context: context.clone(),
                limits,
                fetch: self.fetch.clone(),
                signer: self.signer.clone(),
            }),
        };
        stdio::serve(McpServer::private(source, caller, toolset)).await?;
        Ok(Outcome::Success)
    }
}
