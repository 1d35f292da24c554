//! Errors of RPC requests and transactions.

use std::{io, path::PathBuf};

use alloy::transports::TransportError;
use alloy_primitives::{Address, B256, Bytes};

use crate::{ChainProfile, FeeLimitExceeded, Wei};

/// An RPC request or a transaction failed.
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
    /// A simulation of the call reverted. Nothing was sent.
    #[error("{call} would revert: {message}")]
    WouldRevert {
        call: String,
        /// The node's message, escaped for display.
        message: String,
        /// The revert data.
        data: Bytes,
    },
    /// The sender's balance does not cover the maximum cost.
    #[error(
        "insufficient funds: {account} has {balance} {currency}, up to {cost} {currency} is needed for {call}",
        currency = currency(*chain_id)
    )]
    InsufficientFunds {
        account: Address,
        balance: Wei,
        /// Not a `String`, so that errors stay small.
        call: Box<str>,
        cost: Wei,
        chain_id: u64,
    },
    /// The fee limit is too low for the next block.
    #[error("{0}")]
    FeeLimit(FeeLimitExceeded),
    /// The transaction would exceed the maximum cost of the run. It was not signed.
    #[error(
        "at least {needed} {currency} is needed for {call}, but only {available} {currency} of the maximum cost is left",
        currency = currency(*chain_id)
    )]
    CostLimit {
        call: String,
        needed: Wei,
        available: Wei,
        chain_id: u64,
    },
    /// The rollup's contract that prices transaction data did not return a value, so the cost is unknown. Nothing was signed.
    #[error("the data fee of the rollup is unknown: {contract} did not return it: {message}")]
    NoDataFee {
        contract: Address,
        /// The node's message, escaped for display.
        message: String,
    },
    /// The node is on another chain. Nothing was signed.
    #[error("the node is on chain {found}, expected chain {expected}; nothing was signed")]
    WrongChain { expected: u64, found: u64 },
    /// The transaction belongs to another account.
    #[error("the transaction was planned for {planned}, but the signer is {signer}")]
    SignerMismatch { planned: Address, signer: Address },
    /// The signer failed or the user rejected the request.
    #[error("signing failed")]
    Signing { source: alloy::signers::Error },
    /// The node rejected the transaction.
    #[error("the node rejected {call}: {message}")]
    Rejected { call: String, message: String },
    /// Another transaction of the account with the same nonce is pending. It was not replaced.
    #[error(
        "{account} has another pending transaction with nonce {nonce}, which was not replaced; {call} was not sent ({message})"
    )]
    NonceOccupied {
        call: String,
        account: Address,
        nonce: u64,
        /// The node's message, escaped for display.
        message: String,
    },
    /// A transaction of an earlier run is signed but not pending. Later nonces would wait for it.
    #[error(
        "{call} of an earlier run is signed, but no node has it (transaction {transaction}, nonce {nonce}); later transactions would wait for it"
    )]
    EarlierTransaction {
        call: String,
        transaction: B256,
        nonce: u64,
        journal: PathBuf,
    },
    /// The transaction was not included in a block in time. It can still be included later.
    #[error("{} is still pending (transaction {}, nonce {})", .0.call, .0.transaction, .0.nonce)]
    StillPending(Box<PendingTransaction>),
    /// The transaction was included in a block and reverted.
    #[error("{call} reverted (transaction {transaction}, fee {fee} {})", currency(*chain_id))]
    Reverted {
        call: String,
        transaction: B256,
        fee: Wei,
        chain_id: u64,
    },
    /// None of the blocks that a log stream retains is in the chain.
    #[error(
        "the chain was reorganized below block {oldest}, the oldest retained block (up to block {newest})"
    )]
    ReorgTooDeep { oldest: u64, newest: u64 },
    /// Another process sends transactions of the account.
    #[error(
        "another process is sending transactions of {account} on chain {chain_id} (lock file {path})"
    )]
    Busy {
        account: Address,
        chain_id: u64,
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {operation} {path}")]
    File {
        path: PathBuf,
        /// `read`, `write`, …
        operation: &'static str,
        source: io::Error,
    },
    /// The journal is not valid.
    #[error("{path} is not a valid journal")]
    InvalidJournal {
        path: PathBuf,
        source: serde_json::Error,
    },
}

/// A transaction that was not included in time.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub struct PendingTransaction {
    pub call: String,
    pub transaction: B256,
    pub nonce: u64,
    pub account: Address,
    /// The account's next nonce, if transactions before this one are missing.
    pub missing_nonce: Option<u64>,
    /// Why the fee was not raised.
    pub fee_limit: Option<Error>,
    pub journal: PathBuf,
}

impl Error {
    /// Whether repeating the same call can help. The journal makes it safe.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Node { .. } | Self::StillPending(_) | Self::Busy { .. }
        )
    }

    /// Whether the operation was rejected: by the chain, the node or the configured limits.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(
            self,
            Self::WouldRevert { .. }
                | Self::InsufficientFunds { .. }
                | Self::FeeLimit(_)
                | Self::CostLimit { .. }
                | Self::Rejected { .. }
                | Self::NonceOccupied { .. }
                | Self::EarlierTransaction { .. }
                | Self::Reverted { .. }
        )
    }

    /// Whether the arguments are wrong.
    #[must_use]
    pub const fn is_usage_error(&self) -> bool {
        matches!(self, Self::WrongChain { .. } | Self::SignerMismatch { .. })
    }
}

/// Symbol of the native currency.
fn currency(chain_id: u64) -> &'static str {
    ChainProfile::of(chain_id).currency
}

/// Adds the name of the RPC method to a transport error.
pub fn rpc_error(method: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Node {
        method,
        source: Box::new(source),
    }
}
