//! `atr tool watch`.

mod report;

use std::time::Duration;

use atr_ids::ToolRef;
use atr_registry::{EventBatch, LogStreamOptions, LoggedEvent, Poll, Registry, StartBlock};

use crate::{
    cmd::tool::watch::report::EventLine,
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::{Pipe, Progress},
    process::runtime,
};

/// Looks at a node that is behind, before it is reported.
const MAX_LOOKS: u32 = 10;

/// Watch the events of a registry
///
/// Prints registrations, updates and deregistrations, one per line (with --json one object per line), until interrupted. Starts
/// with the next block or with --from-block.
///
/// If a reorg removes events that were printed, they are printed again as "undone" (in JSON with "undone": true), newest first,
/// followed by the events of the new blocks. --confirmations delays events until a reorg is unlikely. If the chain is reset, as a
/// restarted local chain is, the new chain is read from block 0.
///
/// RPC errors are retried. Missing registrations are an error: tool ids are sequential and are compared with the registry.
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
        let start = self.from_block.map_or(StartBlock::Next, StartBlock::Number);
        let options = LogStreamOptions {
            confirmations: self.confirmations,
            ..LogStreamOptions::default()
        };
        let mut events = registry.events(start, options).await?;
        let mut bar = None;
        let mut looks_behind = 0;
        let mut last_error = None;
        loop {
            let poll = events.poll().await;
            if poll.is_ok() {
                last_error = None;
            }
            match poll {
                Ok(Poll::Batch(batch)) => {
                    looks_behind = 0;
                    if print(context, &registry, &batch)? == Pipe::Closed {
                        return Ok(Outcome::Success);
                    }
                    show_progress(context, &mut bar, &batch);
                    events.commit(*batch);
                    continue;
                }
                Ok(Poll::CaughtUp) => {
                    looks_behind = 0;
                    bar = None;
                    if self.once {
                        return Ok(Outcome::Success);
                    }
                }
                Ok(Poll::Behind { head }) => {
                    looks_behind += 1;
                    if looks_behind == MAX_LOOKS {
                        if self.once {
                            return Err(Error::NodeBehind { head }.into());
                        }
                        tracing::warn!(
                            head,
                            "the node is behind the blocks that were read; waiting"
                        );
                    }
                }
                Err(error) if !self.once && error.is_retryable() => {
                    let error = Some(format!("{:#}", eyre::Report::new(error)));
                    // Once, not with every retry.
                    if error != last_error {
                        tracing::warn!(error, "RPC error; retrying");
                        last_error = error;
                    }
                }
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(Duration::from_secs(self.interval)).await;
        }
    }
}

/// Prints the undone events of a batch, then the new ones.
fn print(context: &Context, registry: &Registry, batch: &EventBatch) -> eyre::Result<Pipe> {
    if batch.rewind().is_some_and(|rewind| rewind.is_reset) {
        tracing::warn!("the chain was reset; reading the new chain from block 0");
    }
    let undone = batch.undone.iter().map(|event| (event, true));
    let added = batch.added.iter().map(|event| (event, false));
    for (event, is_undone) in undone.chain(added) {
        let Some(line) = line(registry, event, is_undone) else {
            continue;
        };
        if context.output.print_line(&line)? == Pipe::Closed {
            return Ok(Pipe::Closed);
        }
    }
    Ok(Pipe::Open)
}

/// `None` for an invalid event, such as one with tool id 0.
fn line(registry: &Registry, logged: &LoggedEvent, undone: bool) -> Option<EventLine> {
    let id = logged.event.tool_id();
    let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id).ok()?;
    Some(EventLine {
        tool: tool.to_string(),
        undone,
        logged: logged.clone(),
    })
}

/// A bar while old blocks are read.
fn show_progress(context: &Context, bar: &mut Option<Progress>, batch: &EventBatch) {
    let progress = batch.progress();
    if bar.is_none() && progress.position < progress.head {
        *bar = Some(Progress::start_blocks(context, "blocks"));
    }
    if let Some(bar) = bar {
        let read = |block: u64| block.saturating_sub(progress.first);
        bar.set(read(progress.position), read(progress.head));
    }
}
