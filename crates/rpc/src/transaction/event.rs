//! Progress events of a run.

use alloy_primitives::B256;

/// A step of a run. `call` is the description of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub enum Event<'a> {
    /// Continues with a transaction that an earlier run signed.
    Resumed { call: &'a str, transaction: B256 },
    /// A transaction was signed and written to the journal.
    Signed {
        call: &'a str,
        transaction: B256,
        nonce: u64,
    },
    /// The transaction was sent. The run can be interrupted: the next one continues.
    Sent { call: &'a str, transaction: B256 },
    /// The transaction was replaced with a higher fee.
    Replaced {
        call: &'a str,
        /// Hash of the replacement.
        transaction: B256,
        /// In wei.
        max_fee_per_gas: u128,
    },
    /// The transaction needs a higher fee, but the limits do not allow it.
    FeeLimited { call: &'a str },
    /// Another transaction with the nonce is pending. It is not replaced: the run waits until it is included.
    NonceOccupied { call: &'a str, nonce: u64 },
    /// Another transaction used the nonce; the transaction is signed again with a new one.
    NonceLost {
        call: &'a str,
        nonce: u64,
        /// Hash of the other transaction.
        used_by: B256,
    },
    /// The transaction is included in a block.
    Mined {
        call: &'a str,
        block: u64,
        confirmations: u64,
        /// Confirmations to wait for.
        required: u64,
    },
}
