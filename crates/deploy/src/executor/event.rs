//! What happens in a run, for whoever watches.

use alloy_primitives::B256;

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A transaction an earlier run has signed is taken up.
    Resumed {
        /// What it is for.
        contract: &'a str,
        /// Its hash.
        transaction: B256,
    },
    /// A transaction is signed and written down; it will be sent now.
    Signed {
        /// What it is for.
        contract: &'a str,
        /// Its hash.
        transaction: B256,
        /// Its nonce.
        nonce: u64,
    },
    /// The node has it.
    Sent {
        /// What it is for.
        contract: &'a str,
        /// Its hash.
        transaction: B256,
    },
    /// It was signed again at a higher fee.
    Replaced {
        /// What it is for.
        contract: &'a str,
        /// The new hash.
        transaction: B256,
        /// The new fee, in wei per gas.
        max_fee_per_gas: u128,
    },
    /// Its nonce went to another transaction; it is signed again with a new one.
    NonceLost {
        /// What it is for.
        contract: &'a str,
        /// The nonce.
        nonce: u64,
    },
    /// It is in a block.
    Mined {
        /// What it is for.
        contract: &'a str,
        /// The block.
        block: u64,
        /// Confirmations so far.
        confirmations: u64,
        /// Confirmations wanted.
        wanted: u64,
    },
    /// The contract was looked at and is written down.
    Recorded {
        /// The contract.
        contract: &'a str,
    },
}
