//! Errors of deployments, audits and source verification.
//!
//! Results of a plan or an audit are not errors: see [`Blocker`] and [`Finding`](crate::Finding).

use std::{io, path::PathBuf};

use alloy::transports::TransportError;
use alloy_primitives::{Address, B256};
use atr_registry::FeeLimitExceeded;

use crate::{Blocker, Wei};

/// A deployment, an audit or a source verification failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum Error {
    /// The name is not one of our contracts.
    #[error("unknown contract `{name}`; known contracts: {}", known.join(", "))]
    UnknownContract {
        name: String,
        known: Vec<&'static str>,
    },
    /// The node is on another chain. Nothing was signed.
    #[error("the node is on chain {found}, expected chain {expected}; nothing was signed")]
    WrongChain { expected: u64, found: u64 },
    /// The node did not respond, or its response is invalid.
    #[error("RPC request {method} failed")]
    Node {
        method: &'static str,
        source: Box<TransportError>,
    },
    /// The explorer did not respond.
    #[error("request to {explorer} failed")]
    ExplorerUnreachable {
        explorer: &'static str,
        source: atr_fetch::Error,
    },
    /// The explorer's response is invalid.
    #[error("{explorer} returned an invalid response (HTTP {status}): {body}")]
    ExplorerResponse {
        explorer: &'static str,
        status: u16,
        /// The beginning of the body.
        body: String,
    },
    /// An error of `atr-registry`.
    #[error(transparent)]
    Registry(atr_registry::Error),
    /// The plan has blockers; this is the first.
    #[error("the plan cannot be executed: {0}")]
    Blocked(Blocker),
    /// A transaction needs a signature, but there is no signer.
    #[error("no signer")]
    NoSigner,
    /// The signer failed or the user rejected the request.
    #[error("signing failed")]
    Signing { source: alloy::signers::Error },
    /// The node reports that the sender cannot pay.
    #[error("insufficient funds: {sender} cannot pay for {contract}: {message}")]
    InsufficientFunds {
        sender: Address,
        contract: String,
        message: String,
    },
    /// The fee limit is too low to include the transaction in a block.
    #[error("{contract}: {exceeded}")]
    FeeLimit {
        contract: String,
        exceeded: FeeLimitExceeded,
    },
    /// The node rejected a transaction.
    #[error("the node rejected the transaction for {contract}: {message}")]
    TransactionRejected { contract: String, message: String },
    /// A pending transaction needs a higher fee, but another account signed it.
    #[error(
        "the pending transaction for {contract} needs a higher fee, but it was signed by {sender}, which is not the signer"
    )]
    SenderMismatch { contract: String, sender: Address },
    /// The transaction was not included in a block in time.
    #[error("the transaction for {contract} is still pending ({transaction}, nonce {nonce})")]
    StillPending {
        contract: String,
        transaction: B256,
        nonce: u64,
        sender: Address,
        /// The account's next nonce, if transactions before this one are missing.
        missing_nonce: Option<u64>,
        journal: PathBuf,
    },
    /// The transaction was included in a block and reverted.
    #[error("the transaction for {contract} reverted: {transaction}")]
    Reverted { contract: String, transaction: B256 },
    /// The transaction succeeded, but there is no code at the address.
    #[error(
        "transaction {transaction} for {contract} succeeded, but there is no code at {address}"
    )]
    NoCode {
        contract: String,
        address: Address,
        transaction: B256,
    },
    /// Another process holds the lock of the chain's journal.
    #[error("another process is deploying to chain {chain_id} (lock file {path})")]
    Busy { chain_id: u64, path: PathBuf },
    /// A file operation failed.
    #[error("cannot {operation} {path}")]
    File {
        path: PathBuf,
        /// `read`, `write`, …
        operation: &'static str,
        source: io::Error,
    },
    /// The journal or a record is not valid.
    #[error("{path} is not a valid {what}")]
    InvalidFile {
        path: PathBuf,
        what: &'static str,
        source: serde_json::Error,
    },
    /// The sender of the presigned factory transaction has not received its fee.
    #[error("the account {account} of the factory transaction could not be funded with {cost}")]
    FactoryUnfunded { cost: Wei, account: Address },
}

impl From<atr_registry::Error> for Error {
    fn from(error: atr_registry::Error) -> Self {
        match error {
            atr_registry::Error::Node { method, source } => Self::Node { method, source },
            atr_registry::Error::Signing { source } => Self::Signing { source },
            other => Self::Registry(other),
        }
    }
}

impl Error {
    /// Whether repeating the same call can help. The journal makes it safe.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::ExplorerUnreachable { source, .. } => source.is_retryable(),
            Self::ExplorerResponse { status, .. } => *status == 429 || *status >= 500,
            Self::Registry(source) => source.is_retryable(),
            Self::Node { .. } | Self::StillPending { .. } | Self::Busy { .. } => true,
            _ => false,
        }
    }

    /// Whether the operation was rejected: by the chain, the node or the configured limits.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(
            self,
            Self::Blocked(_)
                | Self::InsufficientFunds { .. }
                | Self::FeeLimit { .. }
                | Self::TransactionRejected { .. }
                | Self::SenderMismatch { .. }
                | Self::Reverted { .. }
                | Self::NoCode { .. }
                | Self::FactoryUnfunded { .. }
        )
    }

    /// Whether the arguments are wrong.
    #[must_use]
    pub const fn is_usage_error(&self) -> bool {
        matches!(
            self,
            Self::UnknownContract { .. } | Self::WrongChain { .. } | Self::NoSigner
        )
    }
}
