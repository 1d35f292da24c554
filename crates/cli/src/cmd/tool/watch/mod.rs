//! `atr tool watch`.

mod report;

use std::time::Duration;

use atr_ids::ToolRef;
use atr_registry::{LoggedEvent, Registry};

use crate::{
    cmd::tool::watch::report::EventLine, context::Context, network::registry, outcome::Outcome,
    output::Listener, process::runtime,
};

/// Blocks to catch up with in one go, so that what is found is told early and forgotten.
const BLOCKS_AT_ONCE: u64 = 10_000;

/// Follow what happens to the tools of a registry, until Ctrl-C.
///
/// Tells of registrations, changes and removals, a line each; with --json each line is an object. Begins with the next block, or
/// with the one --from-block names. A block may be undone after it was told of: --confirmations waits. A node that does not
/// answer is asked again.
///
/// Exit codes: 0 caught up (with --once), or nobody reads any more, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// First block to tell of [default: the next]
    #[arg(long, value_name = "NUMBER")]
    from_block: Option<u64>,

    /// End after catching up
    #[arg(long)]
    once: bool,

    /// Blocks that have to follow before a block is told of
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    confirmations: u64,

    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 4)]
    interval: u64,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.watch(context))?
}

impl Args {
    async fn watch(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect(context).await?;
        // An address without a registry would be silent for ever.
        registry.tool_count().await?;
        let mut next = match self.from_block {
            Some(block) => block,
            None => registry.block().await? + 1,
        };
        loop {
            match self.catch_up(context, &registry, &mut next).await {
                Ok(Listener::Gone) => return Ok(Outcome::Yes),
                Ok(Listener::There) if self.once => return Ok(Outcome::Yes),
                Ok(Listener::There) => {}
                Err(error) if !self.once && is_passing(&error) => {
                    tracing::warn!(error = format!("{error:#}"), "cannot look; looking again");
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(Duration::from_secs(self.interval)).await;
        }
    }

    /// Tells of everything from the next block on that is old enough.
    async fn catch_up(
        &self,
        context: &Context,
        registry: &Registry,
        next: &mut u64,
    ) -> eyre::Result<Listener> {
        let head = registry.block().await?;
        let Some(last) = head.checked_sub(self.confirmations) else {
            return Ok(Listener::There);
        };
        while *next <= last {
            let end = last.min(next.saturating_add(BLOCKS_AT_ONCE - 1));
            let events = registry.events(*next, end).await?.into_iter();
            for line in events.filter_map(|logged| line(registry, logged)) {
                if context.output.present_line(&line)? == Listener::Gone {
                    return Ok(Listener::Gone);
                }
            }
            *next = end + 1;
        }
        Ok(Listener::There)
    }
}

/// The line for an event; none for what no registry tells, such as a tool with id 0.
fn line(registry: &Registry, logged: LoggedEvent) -> Option<EventLine> {
    let id = logged.event.tool_id();
    let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id).ok()?;
    Some(EventLine {
        tool: tool.to_string(),
        logged,
    })
}

fn is_passing(error: &eyre::Report) -> bool {
    let error = error.downcast_ref::<atr_registry::Error>();
    error.is_some_and(atr_registry::Error::is_retryable)
}
