//! The blocks that a stream retains.

use std::sync::Arc;

use alloy::rpc::types::Log;
use alloy_primitives::B256;
use serde::{Deserialize, Serialize};

use super::{BlockRef, UndoneBlock};

/// The position of a stream, to resume it later. A few kilobytes at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// First block of the stream.
    pub first: u64,
    /// Hash of block 0: identifies the chain.
    pub genesis: Option<B256>,
    /// Whether blocks older than the first of [`Self::blocks`] were read.
    pub is_pruned: bool,
    /// Recent blocks by ascending number. The last one is the last block that was read.
    pub blocks: Vec<BlockRef>,
}

/// Recent blocks, by ascending number.
///
/// Not every block: those that were read one by one, the ends of ranges, and all blocks with logs. So all blocks with logs after
/// the oldest entry are known, and can be undone.
#[derive(Clone, Debug)]
pub(super) struct History {
    first: u64,
    genesis: Option<B256>,
    is_pruned: bool,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    block: BlockRef,
    logs: Option<Arc<[Log]>>,
}

impl History {
    pub(super) const fn new(first: u64, genesis: Option<B256>) -> Self {
        Self {
            first,
            genesis,
            is_pruned: false,
            entries: Vec::new(),
        }
    }

    pub(super) fn resume(checkpoint: Checkpoint) -> Self {
        let mut blocks = checkpoint.blocks;
        blocks.sort_by_key(|block| block.number);
        let entries = blocks.into_iter().map(|block| Entry { block, logs: None });
        Self {
            first: checkpoint.first,
            genesis: checkpoint.genesis,
            is_pruned: checkpoint.is_pruned,
            entries: entries.collect(),
        }
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            first: self.first,
            genesis: self.genesis,
            is_pruned: self.is_pruned,
            blocks: self.entries.iter().map(|entry| entry.block).collect(),
        }
    }

    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    pub(super) const fn genesis(&self) -> Option<B256> {
        self.genesis
    }

    /// Whether older blocks were forgotten.
    pub(super) const fn is_pruned(&self) -> bool {
        self.is_pruned
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn block(&self, index: usize) -> Option<BlockRef> {
        self.entries.get(index).map(|entry| entry.block)
    }

    pub(super) fn oldest(&self) -> Option<BlockRef> {
        self.block(0)
    }

    pub(super) fn tip(&self) -> Option<BlockRef> {
        self.entries.last().map(|entry| entry.block)
    }

    /// The first block that was not read.
    pub(super) fn next(&self) -> u64 {
        self.tip()
            .map_or(self.first, |tip| tip.number.saturating_add(1))
    }

    /// Number of entries up to a block number.
    pub(super) fn count_up_to(&self, number: u64) -> usize {
        self.entries
            .partition_point(|entry| entry.block.number <= number)
    }

    /// The entries from an index on, newest first.
    pub(super) fn undone_from(&self, index: usize) -> Vec<UndoneBlock> {
        let undone = self.entries[index..].iter().rev();
        undone
            .map(|entry| UndoneBlock {
                block: entry.block,
                logs: entry.logs.clone(),
            })
            .collect()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.entries.truncate(length);
    }

    pub(super) fn push(&mut self, block: BlockRef, logs: Arc<[Log]>) {
        debug_assert!(self.tip().is_none_or(|tip| tip.number < block.number));
        self.entries.push(Entry {
            block,
            logs: Some(logs),
        });
    }

    /// Forgets blocks that are more than `depth` below the tip. One entry at or below this depth stays, to rewind to.
    pub(super) fn prune(&mut self, depth: u64) {
        let Some(tip) = self.tip() else {
            return;
        };
        let Some(cut) = tip.number.checked_sub(depth) else {
            return;
        };
        let older = self.count_up_to(cut).saturating_sub(1);
        if older > 0 {
            self.entries.drain(..older);
            self.is_pruned = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64) -> BlockRef {
        BlockRef {
            number,
            hash: B256::with_last_byte(u8::try_from(number).unwrap()),
        }
    }

    fn history(numbers: &[u64]) -> History {
        let mut history = History::new(numbers[0], None);
        for number in numbers {
            history.push(block(*number), Arc::default());
        }
        history
    }

    #[test]
    fn keeps_the_retained_depth_and_one_block_to_rewind_to() {
        for (depth, kept) in [
            (0, &[9][..]),
            (1, &[8, 9]),
            (3, &[6, 7, 8, 9]),
            (4, &[2, 6, 7, 8, 9]),
            (7, &[2, 6, 7, 8, 9]),
            (9, &[2, 6, 7, 8, 9]),
        ] {
            let mut history = history(&[2, 6, 7, 8, 9]);
            history.prune(depth);
            let numbers = history.checkpoint().blocks;
            let numbers: Vec<_> = numbers.iter().map(|block| block.number).collect();
            assert_eq!(numbers, kept, "{depth}");
            assert_eq!(history.is_pruned(), kept.len() < 5, "{depth}");
        }
    }

    #[test]
    fn a_checkpoint_survives_json_and_resumes_without_logs() {
        let mut history = history(&[2, 6, 7]);
        history.prune(2);
        let checkpoint = history.checkpoint();
        let json = serde_json::to_string(&checkpoint).unwrap();
        let read: Checkpoint = serde_json::from_str(&json).unwrap();
        assert_eq!(read, checkpoint);
        let resumed = History::resume(read);
        assert_eq!((resumed.next(), resumed.tip()), (8, Some(block(7))));
        let undone = resumed.undone_from(1);
        assert_eq!(undone[0].block, block(7));
        assert_eq!(undone[0].logs, None);
    }

    #[test]
    fn resuming_sorts_the_blocks() {
        let mut checkpoint = history(&[2, 6, 7]).checkpoint();
        checkpoint.blocks.reverse();
        let resumed = History::resume(checkpoint);
        assert_eq!(resumed.tip(), Some(block(7)));
        assert_eq!(resumed.oldest(), Some(block(2)));
    }

    #[test]
    fn without_blocks_the_first_block_is_next() {
        assert_eq!(History::new(5, None).next(), 5);
        assert_eq!(history(&[5, 6]).next(), 7);
        assert_eq!(history(&[5, 8]).count_up_to(7), 1);
    }
}
