//! Progress events of an execution.

use alloy_primitives::B256;

/// A step of an execution. `contract` is the contract's name, or another purpose of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub enum Event<'a> {
    /// Continues with a transaction that an earlier run signed.
    Resumed {
        contract: &'a str,
        transaction: B256,
    },
    /// A transaction was signed and written to the journal.
    Signed {
        contract: &'a str,
        transaction: B256,
        nonce: u64,
    },
    /// The node accepted the transaction.
    Sent {
        contract: &'a str,
        transaction: B256,
    },
    /// The transaction was replaced with a higher fee.
    Replaced {
        contract: &'a str,
        /// Hash of the replacement.
        transaction: B256,
        /// In wei.
        max_fee_per_gas: u128,
    },
    /// Another transaction used the nonce; the transaction is signed again with a new one.
    NonceLost { contract: &'a str, nonce: u64 },
    /// The transaction is included in a block.
    Mined {
        contract: &'a str,
        block: u64,
        confirmations: u64,
        /// Confirmations to wait for.
        required: u64,
    },
    /// The contract passed all checks and is in the record.
    Recorded { contract: &'a str },
}
