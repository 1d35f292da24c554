//! The answers of one block.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use alloy_primitives::{Address, B256, U256, keccak256};
use atr_rpc::Head;
use tokio::{sync::SetOnce, time::Instant};

use super::{AccessOutcome, AccessQuery};

/// The answer to one key, as soon as it is known.
pub(super) type Slot = SetOnce<AccessOutcome>;

/// What an answer depends on, besides the block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    registry: Address,
    tool: U256,
    account: Address,
    agent: Option<Address>,
    data: Option<B256>,
}

impl Key {
    pub(super) fn new(question: &AccessQuery) -> Self {
        Self {
            registry: question.tool.registry(),
            tool: question.tool.id(),
            account: question.account,
            agent: question.agent,
            data: (!question.data.is_empty()).then(|| keccak256(&question.data)),
        }
    }
}

/// A block and what is known of its state.
#[derive(Debug)]
pub(super) struct Epoch {
    pub(super) head: Head,
    /// When the gate first saw the block.
    pub(super) seen: Instant,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    /// Predicates by registry and tool; `None`: open access.
    predicates: Mutex<HashMap<(Address, U256), Option<Address>>>,
}

impl Epoch {
    pub(super) fn new(head: Head) -> Self {
        Self {
            head,
            seen: Instant::now(),
            slots: Mutex::default(),
            predicates: Mutex::default(),
        }
    }

    /// The slot of a key, and whether the caller must determine its answer.
    pub(super) fn slot(&self, key: &Key, max_entries: usize) -> (Arc<Slot>, bool) {
        let mut slots = self.slots();
        if let Some(slot) = slots.get(key) {
            return (slot.clone(), false);
        }
        if slots.len() >= max_entries {
            // Bounded memory matters more than a second request for some keys.
            slots.retain(|_, slot| !slot.initialized());
        }
        let slot = Arc::new(Slot::new());
        slots.insert(key.clone(), slot.clone());
        (slot, true)
    }

    /// Forgets a key whose answer could not be determined, so that the next request tries again.
    pub(super) fn forget(&self, key: &Key, slot: &Arc<Slot>) {
        let mut slots = self.slots();
        if slots.get(key).is_some_and(|found| Arc::ptr_eq(found, slot)) {
            slots.remove(key);
        }
    }

    /// The predicate of a tool, if it is known.
    pub(super) fn predicate(&self, registry: Address, tool: U256) -> Option<Option<Address>> {
        self.predicates().get(&(registry, tool)).copied()
    }

    pub(super) fn set_predicate(&self, registry: Address, tool: U256, predicate: Option<Address>) {
        self.predicates().insert((registry, tool), predicate);
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn predicates(&self) -> MutexGuard<'_, HashMap<(Address, U256), Option<Address>>> {
        let guard = self.predicates.lock();
        guard.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use atr_ids::ToolRef;

    use super::*;

    fn key(account: u8) -> Key {
        Key::new(&AccessQuery {
            tool: ToolRef::try_new(1, Address::ZERO, U256::ONE).unwrap(),
            account: Address::repeat_byte(account),
            agent: None,
            data: alloy_primitives::Bytes::new(),
        })
    }

    #[tokio::test]
    async fn answers_in_flight_survive_when_the_cache_is_full() {
        let head = Head {
            number: 1,
            hash: B256::ZERO,
            timestamp: 0,
        };
        let epoch = Epoch::new(head);
        let (in_flight, _) = epoch.slot(&key(1), 2);
        let (known, _) = epoch.slot(&key(2), 2);
        known.set(AccessOutcome::Granted).unwrap();
        assert!(epoch.slot(&key(3), 2).1);
        assert_eq!(epoch.slots().len(), 2);
        let (found, is_new) = epoch.slot(&key(1), 2);
        assert!(Arc::ptr_eq(&found, &in_flight) && !is_new);
        // The known answer was evicted.
        assert!(epoch.slot(&key(2), 3).1);
    }
}
