//! Follows the logs of a chain.

use std::sync::Arc;

use alloy::{
    rpc::types::{Filter, Log},
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::B256;

use super::{
    BlockRef, Checkpoint, LogBatch, LogBlock, Poll, Progress, Refusal, Rewind,
    history::History,
    reader::{Header, Reader},
    window::Window,
};
use crate::{Error, Node, rpc_error};

/// Blocks that are read one by one in a batch.
const MAX_BLOCKS: u64 = 32;

/// Fewer blocks are read one by one instead of as a range, which takes additional requests to check.
const MIN_RANGE: u64 = 8;

/// Looks at a block that should have logs, before it is accepted without.
const MAX_DOUBTS: u32 = 3;

/// Follows the logs that match a filter, from a block to the head of the chain and beyond.
///
/// The stream does not wait: [`Self::poll`] reads the chain once, and the caller decides when to poll again. A batch is
/// returned again, read anew, until it is committed.
///
/// - Far below the head, logs are read in ranges whose size follows the limits of the node.
/// - Near the head, where a node or one of several nodes behind a URL may be behind, each block is read by its hash. A node that does
///   not have the block says so; nothing is skipped.
/// - Hashes of recent blocks are retained. If one of them is no longer in the chain, the batch says which blocks to undo, together
///   with the blocks that replace them.
#[derive(Clone, Debug)]
pub struct LogStream {
    reader: Reader,
    options: LogStreamOptions,
    history: History,
    window: Window,
    /// The latest block, when it was last read.
    head: Option<Header>,
    /// A block that should have logs, and how often the node returned none.
    doubt: Option<(B256, u32)>,
}

/// Where a stream starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartBlock {
    /// The block after the latest.
    Next,
    /// A block number, which may be in the future.
    Number(u64),
}

/// Settings of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogStreamOptions {
    /// Blocks that must follow a block before it is returned.
    pub confirmations: u64,
    /// A reorg of at most this many returned blocks can be undone.
    pub retained_depth: u64,
    /// A node can be this many blocks behind another.
    pub lag_blocks: u64,
}

impl Default for LogStreamOptions {
    /// No confirmations, 256 retained blocks (beyond the finality of Ethereum), nodes up to 32 blocks behind.
    fn default() -> Self {
        Self {
            confirmations: 0,
            retained_depth: 256,
            lag_blocks: 32,
        }
    }
}

/// Where a batch starts: after some retained blocks, or anew.
struct Base {
    /// Remembered blocks that are still in the chain.
    kept: usize,
    /// Replaces the retained blocks.
    restart: Option<History>,
    /// The first block to read.
    from: u64,
    /// The block before it, if it is known.
    parent: Option<BlockRef>,
    is_reset: bool,
}

/// The state of the last block that was read.
enum TipState {
    InChain,
    Replaced,
    Unclear,
}

enum Read {
    Blocks(Chunk),
    /// There are no blocks to read.
    Nothing,
    /// The node does not have all data yet.
    NotYet,
}

/// Consecutive blocks.
struct Chunk {
    /// Blocks to retain, with their logs.
    entries: Vec<(BlockRef, Option<B256>, Arc<[Log]>)>,
}

impl LogStream {
    /// A stream that starts at a block.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn start(
        node: Node,
        filter: Filter,
        start: StartBlock,
        options: LogStreamOptions,
    ) -> Result<Self, Error> {
        let reader = Reader::new(node, filter);
        let genesis = reader.header(0).await?.map(|header| header.block.hash);
        let history = match start {
            StartBlock::Number(first) => History::new(first, genesis),
            StartBlock::Next => {
                let head = reader.latest().await?.block;
                let mut history = History::new(head.number.saturating_add(1), genesis);
                history.push(head, Arc::default());
                history
            }
        };
        Ok(Self::new(reader, history, options))
    }

    /// Continues after a checkpoint. Reorgs since then are undone first.
    #[must_use]
    pub fn resume(
        node: Node,
        filter: Filter,
        checkpoint: Checkpoint,
        options: LogStreamOptions,
    ) -> Self {
        let history = History::resume(checkpoint);
        Self::new(Reader::new(node, filter), history, options)
    }

    fn new(reader: Reader, history: History, options: LogStreamOptions) -> Self {
        Self {
            reader,
            options,
            history,
            window: Window::default(),
            head: None,
            doubt: None,
        }
    }

    /// The position after the last committed batch.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        self.history.checkpoint()
    }

    /// The last block of the last committed batch.
    #[must_use]
    pub fn tip(&self) -> Option<BlockRef> {
        self.history.tip()
    }

    /// Follows other logs from the next poll on. Blocks that were read are not read again.
    pub fn set_filter(&mut self, filter: Filter) {
        self.reader.set_filter(filter);
    }

    /// Continues after a batch. Without it, the next poll returns the same blocks again.
    pub fn commit(&mut self, batch: LogBatch) {
        self.history = batch.history;
    }

    /// Looks at the chain and reads the next blocks.
    ///
    /// # Errors
    ///
    /// When an RPC request fails; then nothing changes, and the caller can try again. When a reorg is deeper than the retained
    /// depth.
    pub async fn poll(&mut self) -> Result<Poll, Error> {
        let far_head = self.far_head();
        // Read anew unless this batch succeeds.
        self.head = None;
        let (head, base) = match far_head {
            Some(head) => (head, self.base_at_tip()),
            None => {
                let head = self.reader.latest().await?;
                let Some(base) = self.base(&head).await? else {
                    return Ok(Poll::Behind {
                        head: head.block.number,
                    });
                };
                (head, base)
            }
        };
        let is_rewound = base.kept < self.history.len();
        match self.read(&head, &base).await? {
            Read::Blocks(chunk) => {
                self.head = Some(head);
                Ok(Poll::Batch(Box::new(self.batch(&head, base, chunk))))
            }
            Read::Nothing if !is_rewound => Ok(Poll::CaughtUp),
            // Nothing is undone before the blocks that replace it were read.
            Read::Nothing | Read::NotYet => Ok(Poll::Behind {
                head: head.block.number,
            }),
        }
    }

    /// The known head, if the next blocks are so far below it that no reorg can reach them.
    fn far_head(&self) -> Option<Header> {
        self.history.tip()?;
        let next = self.history.next();
        let confirmed = next.saturating_add(self.options.confirmations);
        self.head
            .filter(|head| self.is_final(next, head) && confirmed <= head.block.number)
    }

    const fn is_final(&self, number: u64, head: &Header) -> bool {
        number.saturating_add(self.options.retained_depth) <= head.block.number
    }

    fn base_at_tip(&self) -> Base {
        Base {
            kept: self.history.len(),
            restart: None,
            from: self.history.next(),
            parent: self.history.tip(),
            is_reset: false,
        }
    }

    /// Where to continue; `None` if the node is behind.
    async fn base(&self, head: &Header) -> Result<Option<Base>, Error> {
        let Some(tip) = self.history.tip() else {
            return self.base_at_start(head, self.history.clone(), false).await;
        };
        match self.tip_state(tip, head).await? {
            TipState::InChain => Ok(Some(self.base_at_tip())),
            TipState::Unclear => Ok(None),
            TipState::Replaced => self.base_after_reorg(head).await,
        }
    }

    /// The base of a stream that has read nothing.
    async fn base_at_start(
        &self,
        head: &Header,
        mut history: History,
        is_reset: bool,
    ) -> Result<Option<Base>, Error> {
        let from = history.first();
        let before = from.checked_sub(1).filter(|n| *n <= head.block.number);
        let parent = match before {
            // The block before the first is retained: its replacement is a reorg too.
            Some(number) => match self.header(number, head).await? {
                Some(header) => Some(header.block),
                None => return Ok(None),
            },
            None => None,
        };
        if let Some(parent) = parent {
            history.push(parent, Arc::default());
        }
        Ok(Some(Base {
            kept: 0,
            restart: Some(history),
            from,
            parent,
            is_reset,
        }))
    }

    async fn tip_state(&self, tip: BlockRef, head: &Header) -> Result<TipState, Error> {
        let number = head.block.number;
        if number.checked_sub(1) == Some(tip.number) && head.parent_hash == tip.hash {
            return Ok(TipState::InChain);
        }
        if number >= tip.number {
            return Ok(match self.header(tip.number, head).await? {
                None => TipState::Unclear,
                Some(found) if found.block == tip => TipState::InChain,
                Some(_) => TipState::Replaced,
            });
        }
        // The node has fewer blocks than were read. It is behind, unless it has another block where one is retained.
        let below = self.history.count_up_to(number).checked_sub(1);
        let Some(known) = below.and_then(|index| self.history.block(index)) else {
            return Ok(if self.new_genesis().await?.is_some() {
                TipState::Replaced
            } else {
                TipState::Unclear
            });
        };
        Ok(match self.header(known.number, head).await? {
            Some(found) if found.block != known => TipState::Replaced,
            _ => TipState::Unclear,
        })
    }

    /// Rewinds to the newest retained block that is still in the chain.
    async fn base_after_reorg(&self, head: &Header) -> Result<Option<Base>, Error> {
        let visible = self.history.count_up_to(head.block.number);
        // The blocks before `low` are in the chain, those from `high` on are not.
        let (mut low, mut high) = (0, visible);
        while low < high {
            let middle = usize::midpoint(low, high);
            let Some(known) = self.history.block(middle) else {
                break;
            };
            match self.header(known.number, head).await? {
                None => return Ok(None),
                Some(found) if found.block == known => low = middle + 1,
                Some(_) => high = middle,
            }
        }
        if low == visible && visible > 0 {
            // The nodes behind the URL disagree.
            return Ok(None);
        }
        if let Some(parent) = low.checked_sub(1).and_then(|last| self.history.block(last)) {
            return Ok(Some(Base {
                kept: low,
                restart: None,
                from: parent.number.saturating_add(1),
                parent: Some(parent),
                is_reset: false,
            }));
        }
        if self.history.is_pruned() {
            return Err(Error::ReorgTooDeep {
                oldest: self.history.oldest().map_or(0, |block| block.number),
                newest: self.history.tip().map_or(0, |block| block.number),
            });
        }
        let (history, is_reset) = match self.new_genesis().await? {
            Some(genesis) => (History::new(0, Some(genesis)), true),
            None => {
                let history = History::new(self.history.first(), self.history.genesis());
                (history, false)
            }
        };
        self.base_at_start(head, history, is_reset).await
    }

    /// The hash of block 0, if it is not the retained one.
    async fn new_genesis(&self) -> Result<Option<B256>, Error> {
        let Some(known) = self.history.genesis() else {
            return Ok(None);
        };
        let found = self.reader.header(0).await?;
        Ok(found
            .map(|header| header.block.hash)
            .filter(|hash| *hash != known))
    }

    /// A block by number, without a request if it is the head.
    async fn header(&self, number: u64, head: &Header) -> Result<Option<Header>, Error> {
        if number == head.block.number {
            return Ok(Some(*head));
        }
        self.reader.header(number).await
    }

    async fn read(&mut self, head: &Header, base: &Base) -> Result<Read, Error> {
        let last = head.block.number.checked_sub(self.options.confirmations);
        let Some(last) = last.filter(|last| *last >= base.from) else {
            return Ok(Read::Nothing);
        };
        // Blocks that every node has.
        let settled = head.block.number.saturating_sub(self.options.lag_blocks);
        let settled = settled.min(last);
        if settled.saturating_sub(base.from) >= MIN_RANGE {
            self.read_range(head, base, settled).await
        } else {
            self.read_blocks(head, base, last).await
        }
    }

    /// Reads blocks one by one, each by its hash, up to the first that is not complete yet.
    async fn read_blocks(&mut self, head: &Header, base: &Base, last: u64) -> Result<Read, Error> {
        let last = last.min(base.from.saturating_add(MAX_BLOCKS - 1));
        let mut entries = Vec::new();
        let mut parent = base.parent;
        for number in base.from..=last {
            let block = match self.read_block(head, number, parent).await {
                Ok(Some(block)) => block,
                // The blocks so far are a batch; the next poll finds the error again.
                Ok(None) => break,
                Err(_) if !entries.is_empty() => break,
                Err(error) => return Err(error),
            };
            parent = Some(block.0);
            entries.push(block);
        }
        Ok(if entries.is_empty() {
            Read::NotYet
        } else {
            Read::Blocks(Chunk { entries })
        })
    }

    /// `None` if the node does not have the block or its logs yet, or if the block does not follow `parent`.
    async fn read_block(
        &mut self,
        head: &Header,
        number: u64,
        parent: Option<BlockRef>,
    ) -> Result<Option<(BlockRef, Option<B256>, Arc<[Log]>)>, Error> {
        let Some(header) = self.header(number, head).await? else {
            return Ok(None);
        };
        if parent.is_some_and(|parent| parent.hash != header.parent_hash) {
            return Ok(None);
        }
        let logs = match self.reader.block_logs(&header).await {
            Ok(logs) => logs,
            Err(error) if Refusal::of(&error) == Some(Refusal::UnknownBlock) => return Ok(None),
            Err(error) => return Err(rpc_error("eth_getLogs")(error)),
        };
        if logs.is_empty() && self.reader.expects_logs(&header) && self.doubts(header.block.hash) {
            return Ok(None);
        }
        Ok(Some((header.block, Some(header.parent_hash), logs.into())))
    }

    /// Whether to read a block again that should have logs.
    fn doubts(&mut self, hash: B256) -> bool {
        let count = match self.doubt {
            Some((known, count)) if known == hash => count + 1,
            _ => 1,
        };
        self.doubt = Some((hash, count));
        count <= MAX_DOUBTS
    }

    /// Reads a range whose size follows the limits of the node.
    async fn read_range(&mut self, head: &Header, base: &Base, last: u64) -> Result<Read, Error> {
        let from = base.from;
        let window = self.window;
        let (blocks, tip) = loop {
            let end = self.window.end(from, last);
            let Some(tip) = self.reader.header(end).await? else {
                return Ok(Read::NotYet);
            };
            let error = match self.reader.range(from, end).await {
                Ok(blocks) => {
                    self.window.accept(from, end);
                    break (blocks, tip);
                }
                Err(error) => error,
            };
            match Refusal::of(&error) {
                Some(Refusal::UnknownBlock) => return Ok(Read::NotYet),
                Some(refusal) if self.window.refuse(refusal, from, end) => {
                    tracing::debug!(%error, from, end, "the node refused a range of blocks");
                }
                // The size was not the reason.
                Some(_) => {
                    self.window = window;
                    return Err(rpc_error("eth_getLogs")(error));
                }
                None => {
                    if is_timeout(&error) {
                        self.window.refuse(Refusal::Size { end: None }, from, end);
                    }
                    return Err(rpc_error("eth_getLogs")(error));
                }
            }
        };
        if self.is_consistent(head, base, &blocks, tip.block).await? {
            Ok(Read::Blocks(Chunk::of_range(blocks, tip)))
        } else {
            Ok(Read::NotYet)
        }
    }

    /// Whether the blocks with logs and the block before the range are in the chain of `tip`, as far as reorgs reach. `tip` was in
    /// the chain before the logs were read: it must still be.
    async fn is_consistent(
        &self,
        head: &Header,
        base: &Base,
        blocks: &[LogBlock],
        tip: BlockRef,
    ) -> Result<bool, Error> {
        let last = blocks.last().map(|last| last.block);
        if last.is_some_and(|last| last.number == tip.number && last != tip) {
            return Ok(false);
        }
        if self.is_final(tip.number, head) {
            return Ok(true);
        }
        let recent = blocks.iter().map(|block| block.block);
        let recent = recent.filter(|block| !self.is_final(block.number, head));
        for block in base.parent.into_iter().chain(recent).chain([tip]) {
            let found = self.reader.header(block.number).await?;
            if found.map(|header| header.block) != Some(block) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn batch(&self, head: &Header, base: Base, chunk: Chunk) -> LogBatch {
        let mut history = match base.restart {
            Some(history) => history,
            None => {
                let mut history = self.history.clone();
                history.truncate(base.kept);
                history
            }
        };
        let undone = self.history.undone_from(base.kept);
        let rewind = (!undone.is_empty()).then(|| Rewind {
            to: base.parent.filter(|_| base.kept > 0),
            undone,
            is_reset: base.is_reset,
        });
        let mut blocks = Vec::new();
        for (block, parent_hash, logs) in chunk.entries {
            if !logs.is_empty() {
                blocks.push(LogBlock {
                    block,
                    parent_hash,
                    logs: logs.clone(),
                });
            }
            history.push(block, logs);
        }
        let tip = history.tip().unwrap_or(head.block);
        history.prune(self.options.retained_depth);
        LogBatch {
            rewind,
            blocks,
            parent: base.parent,
            tip,
            progress: Progress {
                first: history.first(),
                position: tip.number,
                head: head.block.number,
            },
            history,
        }
    }
}

/// Whether the node took too long.
fn is_timeout(error: &TransportError) -> bool {
    match error.as_transport_err() {
        Some(TransportErrorKind::HttpError(http)) => http.status == 504,
        Some(TransportErrorKind::Custom(source)) => {
            let source = source.downcast_ref();
            matches!(source, Some(atr_fetch::Error::TimedOut { .. }))
        }
        _ => false,
    }
}

impl Chunk {
    /// The blocks with logs and the last block of a range.
    fn of_range(blocks: Vec<LogBlock>, tip: Header) -> Self {
        let has_tip = blocks
            .last()
            .is_some_and(|last| last.block.number == tip.block.number);
        let mut entries: Vec<_> = blocks
            .into_iter()
            .map(|block| (block.block, block.parent_hash, block.logs))
            .collect();
        if !has_tip {
            entries.push((tip.block, Some(tip.parent_hash), Arc::default()));
        }
        Self { entries }
    }
}
