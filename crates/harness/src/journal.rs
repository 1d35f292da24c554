//! What was done to a world, so that it can be done again elsewhere.

use alloy_primitives::{Address, Bytes, U256};

use crate::{Receipt, Transaction};

/// One thing done to a world, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A transaction was sent.
    Sent(Transaction, Receipt),
    /// A transaction was tried out and forgotten.
    TriedOut(Transaction, Receipt),
    /// An account was given code.
    CodeSet(Address, Bytes),
    /// A slot of an account was written behind its back.
    StorageSet(Address, U256, U256),
    /// The clock was set.
    TimeSet(u64),
    /// The chain got another id.
    ChainIdSet(u64),
}
