//! What a log stream returns.

use std::{fmt, sync::Arc};

use alloy::rpc::types::Log;
use alloy_primitives::B256;
use serde::{Deserialize, Serialize};

use super::{Checkpoint, history::History};

/// A block, identified by its hash. After a reorg another block can have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct BlockRef {
    pub number: u64,
    pub hash: B256,
}

impl fmt::Display for BlockRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} ({})", self.number, self.hash)
    }
}

/// A block with logs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct LogBlock {
    pub block: BlockRef,
    /// `None` if the block was read as part of a range.
    pub parent_hash: Option<B256>,
    /// By ascending log index; not empty.
    pub logs: Arc<[Log]>,
}

/// A block that left the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct UndoneBlock {
    pub block: BlockRef,
    /// `None` if the block was read before the stream was resumed from a checkpoint.
    pub logs: Option<Arc<[Log]>>,
}

/// A reorg: every block after [`Self::to`] left the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewind {
    /// The newest block that is still in the chain; `None` if none of the blocks that the stream returned is.
    pub to: Option<BlockRef>,
    /// The blocks that left the chain, newest first. All blocks with logs are included.
    pub undone: Vec<UndoneBlock>,
    /// Whether the node has another chain: another genesis block. The stream continues with block 0.
    pub is_reset: bool,
}

/// How far a stream has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// First block of the stream.
    pub first: u64,
    /// The last block that was read.
    pub position: u64,
    /// The latest block of the node, when it was last asked.
    pub head: u64,
}

/// New logs. Pass it to [`LogStream::commit`](super::LogStream::commit) when it is processed.
#[derive(Clone, Debug)]
pub struct LogBatch {
    /// Undo these blocks first.
    pub rewind: Option<Rewind>,
    /// Blocks with logs, by ascending number.
    pub blocks: Vec<LogBlock>,
    /// The block before the batch; `None` if the batch starts with block 0.
    pub parent: Option<BlockRef>,
    /// The last block of the batch, with or without logs.
    pub tip: BlockRef,
    #[expect(missing_docs, reason = "named after its content")]
    pub progress: Progress,
    pub(super) history: History,
}

impl LogBatch {
    /// The checkpoint after this batch. Store it together with the effects of the batch.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        self.history.checkpoint()
    }
}

/// Result of a poll.
#[derive(Clone, Debug)]
pub enum Poll<B = LogBatch> {
    /// New blocks, and blocks that left the chain.
    Batch(Box<B>),
    /// All blocks were read.
    CaughtUp,
    /// The node is behind the blocks that were read, or does not have all data of a new block yet. This is not a reorg: poll
    /// again later.
    Behind {
        /// The latest block of the node.
        head: u64,
    },
}
