//! A log of everything done to a world, for replay on another chain.

use alloy_primitives::{Address, Bytes, U256};

use crate::{Receipt, Transaction};

/// One operation on a world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum JournalEntry {
    Sent(Transaction, Receipt),
    /// Executed without committing the state.
    Simulated(Transaction, Receipt),
    CodeSet(Address, Bytes),
    /// Account, slot, value.
    StorageSet(Address, U256, U256),
    TimeSet(u64),
    ChainIdSet(u64),
}
