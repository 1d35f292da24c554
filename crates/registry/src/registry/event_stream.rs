//! Follows the events of a registry.

use alloy::{eips::BlockId, rpc::types::Log};
use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::toolCountCall;
use atr_rpc::{
    BlockRef, BlockView, CallResult, Checkpoint, LogBatch, LogStream, LogStreamOptions, Node, Poll,
    Progress, Rewind, StartBlock,
};
use serde::{Deserialize, Serialize};

use super::{
    events::{LoggedEvent, ToolEvent},
    predicate_events::LoggedPredicateEvent,
};
use crate::{Error, Registry, abi::AbiSlice};

/// Nodes that keep only recent state have it for these blocks.
const STATE_DEPTH: u64 = 64;

/// Reads of a batch with missing events, before it is an error.
const MAX_READS: u32 = 4;

/// Follows the events of a registry across reorgs. See [`LogStream`].
///
/// Tool ids are sequential, and `toolCount()` is the highest one. So missing registrations are detected: the blocks are read
/// again, and if the events are still missing, the poll fails with [`Error::EventGap`] or [`Error::EventsMissing`].
#[derive(Clone, Debug)]
pub struct ToolEventStream {
    registry: Registry,
    stream: LogStream,
    /// The highest tool id up to the last committed batch; `None` if it is not known.
    last_id: Option<U256>,
    /// Whether `last_id` was compared with `toolCount()`.
    is_counted: bool,
    /// Reads of the next batch with missing events.
    failed_reads: u32,
}

/// The position of a stream, to resume it later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct EventCheckpoint {
    pub blocks: Checkpoint,
    /// The highest tool id so far; `None` if it is not known.
    pub last_id: Option<U256>,
}

/// New events. Pass it to [`ToolEventStream::commit`] when it is processed.
#[derive(Clone, Debug)]
pub struct EventBatch {
    /// Events that are no longer in the chain, newest first. Undo them first.
    ///
    /// Events from before the stream was resumed are not included: undo all events after [`Rewind::to`].
    pub undone: Vec<LoggedEvent>,
    /// New events, in order.
    pub added: Vec<LoggedEvent>,
    /// New events of the predicates that the stream watches, in order.
    pub predicate_events: Vec<LoggedPredicateEvent>,
    logs: LogBatch,
    last_id: Option<U256>,
    is_counted: bool,
}

impl EventBatch {
    /// The reorg to undo first.
    #[must_use]
    pub const fn rewind(&self) -> Option<&Rewind> {
        self.logs.rewind.as_ref()
    }

    /// The last block of the batch.
    #[must_use]
    pub const fn tip(&self) -> BlockRef {
        self.logs.tip
    }

    /// How far the stream has read.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        self.logs.progress
    }

    /// The checkpoint after this batch. Store it together with the effects of the batch.
    #[must_use]
    pub fn checkpoint(&self) -> EventCheckpoint {
        EventCheckpoint {
            blocks: self.logs.checkpoint(),
            last_id: self.last_id,
        }
    }
}

impl Registry {
    /// A stream of the events from a block on.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn events(
        &self,
        start: StartBlock,
        options: LogStreamOptions,
    ) -> Result<ToolEventStream, Error> {
        let (node, filter) = (self.node(), self.event_filter());
        let stream = LogStream::start(node, filter, start, options).await?;
        Ok(ToolEventStream::new(self.clone(), stream, None))
    }

    /// A stream that continues after a checkpoint.
    #[must_use]
    pub fn events_after(
        &self,
        checkpoint: EventCheckpoint,
        options: LogStreamOptions,
    ) -> ToolEventStream {
        let (node, filter) = (self.node(), self.event_filter());
        let stream = LogStream::resume(node, filter, checkpoint.blocks, options);
        ToolEventStream::new(self.clone(), stream, checkpoint.last_id)
    }

    fn node(&self) -> Node {
        Node::from_provider(self.provider().clone())
    }

    /// `toolCount()` at a block: 0 if there is no contract yet, `None` if the node does not have the state.
    async fn tool_count_at(&self, block: BlockRef) -> Result<Option<U256>, Error> {
        let view = BlockView {
            provider: self.provider(),
            block: BlockId::hash(block.hash),
        };
        let call = toolCountCall {}.abi_encode().into();
        let bytes = match view.call(self.address(), call, None).await {
            Ok(CallResult::Returned(bytes)) if bytes.is_empty() => return Ok(Some(U256::ZERO)),
            Ok(CallResult::Returned(bytes)) => bytes,
            Ok(CallResult::Failed { .. }) => return Err(self.not_a_registry("toolCount() failed")),
            Err(atr_rpc::Error::Node { source, .. }) if source.is_error_resp() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let count = AbiSlice::new(&bytes).uint256(0);
        let count = count.map_err(|_| self.not_a_registry("toolCount() returned invalid data"))?;
        Ok(Some(count))
    }
}

impl ToolEventStream {
    const fn new(registry: Registry, stream: LogStream, last_id: Option<U256>) -> Self {
        Self {
            registry,
            stream,
            last_id,
            is_counted: true,
            failed_reads: 0,
        }
    }

    /// The position after the last committed batch.
    #[must_use]
    pub fn checkpoint(&self) -> EventCheckpoint {
        EventCheckpoint {
            blocks: self.stream.checkpoint(),
            last_id: self.last_id,
        }
    }

    /// Follows configurations and upgrades of these predicates too, from the next poll on.
    pub fn watch_predicates(&mut self, predicates: &[Address]) {
        let filter = self.registry.event_filter_with(predicates);
        self.stream.set_filter(filter);
    }

    /// Continues after a batch. Without it, the next poll returns the same events again.
    pub fn commit(&mut self, batch: EventBatch) {
        self.last_id = batch.last_id;
        self.is_counted = batch.is_counted;
        self.stream.commit(batch.logs);
    }

    /// Looks at the chain and reads the next events.
    ///
    /// # Errors
    ///
    /// As [`LogStream::poll`], and when events are missing.
    pub async fn poll(&mut self) -> Result<Poll<EventBatch>, Error> {
        let batch = match self.stream.poll().await? {
            Poll::Batch(batch) => *batch,
            Poll::CaughtUp => {
                if let (false, Some(tip)) = (self.is_counted, self.stream.tip()) {
                    self.is_counted = self.counted(self.last_id, tip).await?;
                }
                return Ok(Poll::CaughtUp);
            }
            Poll::Behind { head } => return Ok(Poll::Behind { head }),
        };
        let head = batch.progress.head;
        match self.checked(batch).await {
            Ok(batch) => {
                self.failed_reads = 0;
                Ok(Poll::Batch(Box::new(batch)))
            }
            // The node may not have had all logs yet.
            Err(Error::EventGap { .. } | Error::EventsMissing { .. })
                if self.failed_reads + 1 < MAX_READS =>
            {
                self.failed_reads += 1;
                Ok(Poll::Behind { head })
            }
            Err(error) => Err(error),
        }
    }

    /// Decodes the events and checks that no registration is missing.
    async fn checked(&self, logs: LogBatch) -> Result<EventBatch, Error> {
        let undone = logs.rewind.iter().flat_map(|rewind| &rewind.undone);
        let undone = undone.flat_map(|block| block.logs.iter().flat_map(|logs| logs.iter().rev()));
        // A predicate can emit anything: only the registry registers tools.
        let of_registry = |log: &&Log| log.address() == self.registry.address();
        let undone = undone.filter(of_registry).filter_map(LoggedEvent::decode);
        let undone: Vec<_> = undone.collect();
        let (mut added, mut predicate_events) = (Vec::new(), Vec::new());
        for log in logs.blocks.iter().flat_map(|block| block.logs.iter()) {
            if of_registry(&log) {
                added.extend(LoggedEvent::decode(log));
            } else {
                predicate_events.extend(LoggedPredicateEvent::decode(log));
            }
        }

        let mut last_id = self.id_before(&logs, &undone).await?;
        for (id, block) in added.iter().filter_map(registered) {
            let expected = last_id.map_or(id, |last| last.saturating_add(U256::ONE));
            if id != expected {
                return Err(Error::EventGap {
                    block,
                    expected,
                    found: id,
                });
            }
            last_id = Some(id);
        }
        let is_recent = logs.progress.head - logs.tip.number.min(logs.progress.head) <= STATE_DEPTH;
        let is_counted = is_recent && self.counted(last_id, logs.tip).await?;
        Ok(EventBatch {
            undone,
            added,
            predicate_events,
            logs,
            last_id,
            is_counted,
        })
    }

    /// The highest tool id before a batch.
    async fn id_before(
        &self,
        logs: &LogBatch,
        undone: &[LoggedEvent],
    ) -> Result<Option<U256>, Error> {
        let known = match &logs.rewind {
            None => self.last_id,
            Some(rewind) if rewind.is_reset => None,
            Some(rewind) if rewind.undone.iter().all(|block| block.logs.is_some()) => {
                let registrations = undone.iter().filter_map(registered).count();
                let before = |last: U256| last.checked_sub(U256::from(registrations));
                self.last_id.and_then(before)
            }
            Some(_) => None,
        };
        match (known, logs.parent) {
            (Some(id), _) => Ok(Some(id)),
            (None, Some(parent)) => self.registry.tool_count_at(parent).await,
            (None, None) => Ok(Some(U256::ZERO)),
        }
    }

    /// Compares the highest tool id with `toolCount()`; false if one of them is not known.
    async fn counted(&self, last_id: Option<U256>, block: BlockRef) -> Result<bool, Error> {
        let Some(registered) = last_id else {
            return Ok(false);
        };
        match self.registry.tool_count_at(block).await? {
            None => Ok(false),
            Some(count) if count == registered => Ok(true),
            Some(count) => Err(Error::EventsMissing {
                block: block.number,
                count,
                registered,
            }),
        }
    }
}

/// The id and the block of a registration.
fn registered(logged: &LoggedEvent) -> Option<(U256, u64)> {
    match logged.event {
        ToolEvent::Registered { tool_id, .. } => Some((tool_id, logged.block)),
        _ => None,
    }
}
