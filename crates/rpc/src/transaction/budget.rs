//! The maximum cost of a run.

use std::collections::BTreeMap;

use alloy_primitives::B256;

use crate::Wei;

/// The amount the user agreed to, and what the signatures of the run can cost. Transactions with the same nonce count once, with
/// the highest cost; an included transaction counts with its real cost.
#[derive(Debug)]
pub(super) struct Budget {
    total: Wei,
    /// For transactions that are not signed yet.
    pub(super) reserved: Wei,
    committed: BTreeMap<B256, Wei>,
}

impl Budget {
    pub(super) const fn new(total: Wei) -> Self {
        Self {
            total,
            reserved: Wei(alloy_primitives::U256::ZERO),
            committed: BTreeMap::new(),
        }
    }

    /// The most that the transaction of a call may cost.
    pub(super) fn available(&self, id: B256) -> Wei {
        let others = self.committed.iter().filter(|(other, _)| **other != id);
        others.fold(
            self.total.saturating_sub(self.reserved),
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
    }

    /// The transaction of a call was included for this cost. One that only an earlier run submitted does not count.
    pub(super) fn settle(&mut self, id: B256, cost: Wei) {
        if let Some(committed) = self.committed.get_mut(&id) {
            *committed = cost;
        }
    }

    /// The transaction of a call can no longer be included.
    pub(super) fn release(&mut self, id: B256) {
        self.committed.remove(&id);
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
        // Included for less.
        budget.settle(first, wei(5));
        budget.settle(B256::ZERO, wei(50));
        assert_eq!(budget.available(second), wei(95));
        budget.release(first);
        assert_eq!(budget.available(second), wei(100));
        budget.commit(second, wei(200));
        assert_eq!(budget.available(first), wei(0));
    }
}
