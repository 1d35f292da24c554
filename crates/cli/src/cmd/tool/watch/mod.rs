//! `atr tool watch`.

mod report;

use std::time::Duration;

use atr_ids::ToolRef;
use atr_registry::{LoggedEvent, Registry};

use crate::{
    cmd::tool::watch::report::EventLine, context::Context, network::registry, outcome::Outcome,
    output::Pipe, process::runtime,
};

/// Blocks per request while catching up, which bounds memory and prints early.
const BLOCKS_PER_REQUEST: u64 = 10_000;

/// Watch the events of a registry
///
/// Prints registrations, updates and deregistrations, one per line (with --json one object per line), until interrupted. Starts
/// with the next block or with --from-block. A reorg can remove printed events; use --confirmations to wait. RPC errors are
/// retried.
///
/// Exit codes: 0 caught up (with --once) or standard output was closed, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// First block [default: the next block]
    #[arg(long, value_name = "NUMBER")]
    from_block: Option<u64>,

    /// Exit after catching up
    #[arg(long)]
    once: bool,

    /// Number of blocks that must follow a block before its events are printed
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    confirmations: u64,

    /// Polling interval
    #[arg(long, value_name = "SECONDS", default_value_t = 4)]
    interval: u64,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.watch(context))?
}

impl Args {
    async fn watch(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect(context).await?;
        // Fails early if there is no registry at the address.
        registry.tool_count().await?;
        let mut next = match self.from_block {
            Some(block) => block,
            None => registry.block().await? + 1,
        };
        loop {
            match self.catch_up(context, &registry, &mut next).await {
                Ok(Pipe::Closed) => return Ok(Outcome::Success),
                Ok(Pipe::Open) if self.once => return Ok(Outcome::Success),
                Ok(Pipe::Open) => {}
                Err(error) if !self.once && is_retryable(&error) => {
                    tracing::warn!(error = format!("{error:#}"), "RPC error; retrying");
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(Duration::from_secs(self.interval)).await;
        }
    }

    /// Prints events from block `next` to the last confirmed block.
    async fn catch_up(
        &self,
        context: &Context,
        registry: &Registry,
        next: &mut u64,
    ) -> eyre::Result<Pipe> {
        let head = registry.block().await?;
        let Some(last) = head.checked_sub(self.confirmations) else {
            return Ok(Pipe::Open);
        };
        while *next <= last {
            let end = last.min(next.saturating_add(BLOCKS_PER_REQUEST - 1));
            let events = registry.events(*next, end).await?.into_iter();
            for line in events.filter_map(|logged| line(registry, logged)) {
                if context.output.print_line(&line)? == Pipe::Closed {
                    return Ok(Pipe::Closed);
                }
            }
            *next = end + 1;
        }
        Ok(Pipe::Open)
    }
}

/// `None` for an invalid event, such as one with tool id 0.
fn line(registry: &Registry, logged: LoggedEvent) -> Option<EventLine> {
    let id = logged.event.tool_id();
    let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id).ok()?;
    Some(EventLine {
        tool: tool.to_string(),
        logged,
    })
}

fn is_retryable(error: &eyre::Report) -> bool {
    let error = error.downcast_ref::<atr_registry::Error>();
    error.is_some_and(atr_registry::Error::is_retryable)
}
