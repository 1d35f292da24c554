//! The maximum cost of a run.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::B256;

use crate::Wei;

/// The amount the user agreed to, and what the signatures of the run can cost. Transactions with the same nonce count once, with
/// the highest cost. An included transaction still counts with what its signatures allow: the node reports what it really cost,
/// and a node can lie.
#[derive(Debug)]
pub(super) struct Budget {
    total: Wei,
    /// For transactions that are not signed yet.
    pub(super) reserved: Wei,
    committed: BTreeMap<B256, Wei>,
    /// Calls of `committed` whose transactions only an earlier run submitted, within its own maximum cost.
    earlier: BTreeSet<B256>,
    /// For transactions whose call may be submitted again.
    spent: Wei,
}

impl Budget {
    pub(super) const fn new(total: Wei) -> Self {
        Self {
            total,
            reserved: Wei(alloy_primitives::U256::ZERO),
            committed: BTreeMap::new(),
            earlier: BTreeSet::new(),
            spent: Wei(alloy_primitives::U256::ZERO),
        }
    }

    /// The most that the transaction of a call may cost.
    pub(super) fn available(&self, id: B256) -> Wei {
        let others = self.committed.iter().filter(|(other, _)| **other != id);
        others.fold(
            self.total
                .saturating_sub(self.reserved)
                .saturating_sub(self.spent),
            |left, (_, cost)| left.saturating_sub(*cost),
        )
    }

    /// Whether this run submitted the transaction of a call.
    pub(super) fn is_committed(&self, id: B256) -> bool {
        self.committed.contains_key(&id)
    }

    /// Sets the cost of the transaction of a call.
    pub(super) fn commit(&mut self, id: B256, cost: Wei) {
        self.committed.insert(id, cost);
        self.earlier.remove(&id);
    }

    /// Sets the cost of a transaction of an earlier run whose nonce is used, as the node says.
    pub(super) fn commit_earlier(&mut self, id: B256, cost: Wei) {
        self.committed.insert(id, cost);
        self.earlier.insert(id);
    }

    /// The transaction of a call was included, for this cost as the node says. More than its signatures allow is possible only
    /// on rollups with a data fee. One that only an earlier run submitted does not count.
    pub(super) fn settle(&mut self, id: B256, cost: Wei) {
        if let Some(committed) = self.committed.get_mut(&id) {
            *committed = (*committed).max(cost);
        }
    }

    /// An included transaction reverted, for this cost as the node says. Its call can be submitted again.
    pub(super) fn spend(&mut self, id: B256, cost: Wei) {
        if let Some(committed) = self.committed.remove(&id) {
            self.spent = self.spent.saturating_add(committed.max(cost));
        }
    }

    /// Another transaction used the nonce of a call's transaction, as the node says. The call can be submitted again, but the
    /// signature counts: a node that lies can include it too. A signature of an earlier run counted there.
    pub(super) fn lose(&mut self, id: B256) {
        if self.earlier.remove(&id) {
            self.committed.remove(&id);
        } else {
            self.spend(id, Wei::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;

    #[test]
    fn transactions_share_the_total() {
        let wei = |amount: u64| Wei(U256::from(amount));
        let (first, second) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let mut budget = Budget::new(wei(100));
        budget.reserved = wei(30);
        budget.commit(first, wei(60));
        assert_eq!(budget.available(first), wei(70));
        assert_eq!(budget.available(second), wei(10));
        budget.reserved = wei(0);
        // Included, for less as the node says, or for more.
        budget.settle(first, wei(5));
        budget.settle(B256::ZERO, wei(50));
        assert_eq!(budget.available(second), wei(40));
        budget.settle(first, wei(70));
        assert_eq!(budget.available(second), wei(30));
        budget.commit(second, wei(200));
        assert_eq!(budget.available(first), wei(0));
    }

    #[test]
    fn a_reverted_transaction_counts_when_its_call_is_submitted_again() {
        let wei = |amount: u64| Wei(U256::from(amount));
        let id = B256::repeat_byte(1);
        let mut budget = Budget::new(wei(100));
        budget.commit(id, wei(60));
        budget.spend(id, wei(5));
        assert_eq!(budget.available(id), wei(40));
    }

    #[test]
    fn a_transaction_that_lost_its_nonce_still_counts() {
        let wei = |amount: u64| Wei(U256::from(amount));
        let id = B256::repeat_byte(1);
        let mut budget = Budget::new(wei(100));
        budget.commit(id, wei(60));
        budget.lose(id);
        assert_eq!(budget.available(id), wei(40));
        // One of an earlier run counted there, unless this run signed a replacement.
        budget.commit_earlier(id, wei(30));
        budget.lose(id);
        assert_eq!(budget.available(id), wei(40));
        budget.commit_earlier(id, wei(30));
        budget.commit(id, wei(35));
        budget.lose(id);
        assert_eq!(budget.available(id), wei(5));
    }
}
