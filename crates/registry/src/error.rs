//! Errors of reads and transactions.
//!
//! A result of a read is not an error: see [`ToolState`](crate::ToolState), [`Access`](crate::Access) and
//! [`Introspection`](crate::Introspection).

use alloy::transports::TransportError;
use alloy_primitives::{Address, B256, U256};

use crate::{FeeLimitExceeded, RevertReason, Wei};

/// A read or a transaction failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum Error {
    /// The node did not respond, or its response is invalid.
    #[error("RPC request {method} failed")]
    Node {
        method: &'static str,
        source: Box<TransportError>,
    },
    /// The contract at the address does not behave like a registry.
    #[error("{address} on chain {chain_id} is not an ERC-8257 registry: {reason}")]
    NotARegistry {
        address: Address,
        chain_id: u64,
        reason: String,
    },
    /// No tool was ever registered with this id.
    #[error("tool {id} does not exist in this registry")]
    ToolNotFound { id: U256 },
    /// The creator deregistered the tool.
    #[error("tool {id} is deregistered")]
    ToolIsDeregistered { id: U256 },
    /// The registry claims more tools than a full scan reads.
    #[error("the registry claims {count} tools; a full scan reads at most {limit}")]
    TooManyTools { count: U256, limit: u64 },
    /// A simulation of the call reverted. Nothing was sent.
    #[error("{call} would revert: {reason}")]
    WouldRevert { call: String, reason: RevertReason },
    /// The sender's balance does not cover the maximum cost. Nothing was sent.
    #[error("insufficient funds: {sender} has {balance}, {call} costs up to {cost}")]
    InsufficientFunds {
        sender: Address,
        balance: Wei,
        call: String,
        cost: Wei,
    },
    /// The configured fee limit is too low. Nothing was sent.
    #[error("{0}")]
    FeeLimit(FeeLimitExceeded),
    /// The node switched to another chain. Nothing was sent.
    #[error("the node is on chain {found}, expected chain {expected}; nothing was signed")]
    WrongChain { expected: u64, found: u64 },
    /// The plan was made for another account.
    #[error("the transaction was planned for {planned}, but the signer is {signer}")]
    SignerMismatch { planned: Address, signer: Address },
    /// The signer failed or the user rejected the request.
    #[error("signing failed")]
    Signing { source: alloy::signers::Error },
    /// The node rejected the transaction.
    #[error("the node rejected {call}: {message}")]
    TransactionRejected { call: String, message: String },
    /// The transaction was not included in a block in time. It can still be included later.
    #[error("{call} is still pending (transaction {transaction}, nonce {nonce})")]
    StillPending {
        call: String,
        transaction: B256,
        nonce: u64,
    },
    /// The transaction was included in a block and reverted.
    #[error("{call} reverted (transaction {transaction})")]
    Reverted { call: String, transaction: B256 },
}

impl Error {
    /// Whether repeating the same call can help. A pending transaction must not be sent again.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Node { .. })
    }

    /// Whether the operation was rejected: by the contract, the node or the configured limits.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(
            self,
            Self::ToolNotFound { .. }
                | Self::ToolIsDeregistered { .. }
                | Self::WouldRevert { .. }
                | Self::InsufficientFunds { .. }
                | Self::FeeLimit(_)
                | Self::TransactionRejected { .. }
                | Self::Reverted { .. }
        )
    }
}

/// Adds the name of the RPC method to a transport error.
pub(crate) fn rpc_error(method: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Node {
        method,
        source: Box::new(source),
    }
}
