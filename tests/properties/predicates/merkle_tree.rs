//! Merkle trees.

use alloy_primitives::B256;
use atr_harness::model::predicates::MerkleAllowlist;

/// All levels from the leaves to the root. A node without a sibling moves up unchanged.
#[derive(Clone, Debug)]
pub(crate) struct MerkleTree(Vec<Vec<B256>>);

impl MerkleTree {
    /// The tree of one or more leaves.
    pub(crate) fn new(leaves: Vec<B256>) -> Self {
        let mut levels = vec![leaves];
        while levels[levels.len() - 1].len() > 1 {
            let pairs = levels[levels.len() - 1].chunks(2);
            let above = pairs.map(|pair| match *pair {
                [left, right] => MerkleAllowlist::parent(left, right),
                _ => pair[0],
            });
            levels.push(above.collect());
        }
        Self(levels)
    }

    pub(crate) fn root(&self) -> B256 {
        self.0[self.0.len() - 1][0]
    }

    /// Every node that is neither leaf nor root, with its path to the root.
    pub(crate) fn inner_nodes(&self) -> Vec<(B256, Vec<B256>)> {
        let inner = 1..self.0.len().saturating_sub(1);
        let nodes = inner.flat_map(|level| (0..self.0[level].len()).map(move |at| (level, at)));
        nodes
            .map(|(level, at)| (self.0[level][at], self.path(level, at)))
            .filter(|(node, _)| !self.0[0].contains(node))
            .collect()
    }

    /// The proof of leaf `index`.
    pub(crate) fn proof(&self, index: usize) -> Vec<B256> {
        self.path(0, index)
    }

    fn path(&self, level: usize, index: usize) -> Vec<B256> {
        let up = self.0[level..].iter().enumerate();
        up.filter_map(|(height, nodes)| nodes.get((index >> height) ^ 1).copied())
            .collect()
    }
}
