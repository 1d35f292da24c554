//! Errors of deployments, audits and source verification.
//!
//! Results of a plan or an audit are not errors: see [`Blocker`] and [`Finding`](crate::Finding).

use std::{io, path::PathBuf};

use alloy_primitives::{Address, B256};

use crate::Blocker;

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
    /// A transaction or an init code hash was given for several contracts.
    #[error(
        "a creation transaction or an init code hash belongs to one contract, but {count} are selected"
    )]
    SeveralContracts { count: usize },
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
    /// An RPC request or a transaction failed.
    #[error(transparent)]
    Rpc(#[from] atr_rpc::Error),
    /// An error of `atr-registry`.
    #[error(transparent)]
    Registry(atr_registry::Error),
    /// The plan has blockers; this is the first.
    #[error("the plan cannot be executed: {0}")]
    Blocked(Blocker),
    /// A transaction needs a signature, but there is no signer.
    #[error("no signer")]
    NoSigner,
    /// The transaction succeeded, but there is no code at the address.
    #[error(
        "transaction {transaction} for {contract} succeeded, but there is no code at {address}"
    )]
    NoCode {
        contract: String,
        address: Address,
        transaction: B256,
    },
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
    /// The node does not accept the presigned factory transaction. Its sender was not funded.
    #[error("the node rejected the transaction of the CREATE2 factory: {message}")]
    FactoryRejected { message: String },
    /// The presigned factory transaction was not included in time.
    #[error("the CREATE2 factory is not deployed yet; its transaction from {account} is pending")]
    FactoryNotDeployed { account: Address },
}

impl From<atr_registry::Error> for Error {
    fn from(error: atr_registry::Error) -> Self {
        match error {
            atr_registry::Error::Rpc(error) => Self::Rpc(error),
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
            Self::Rpc(source) => source.is_retryable(),
            Self::FactoryNotDeployed { .. } => true,
            _ => false,
        }
    }

    /// Whether the operation was rejected: by the chain, the node or the configured limits.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        match self {
            Self::Blocked(_) | Self::NoCode { .. } | Self::FactoryRejected { .. } => true,
            Self::Rpc(error) => error.is_rejection(),
            Self::Registry(error) => error.is_rejection(),
            _ => false,
        }
    }

    /// Whether the arguments are wrong.
    #[must_use]
    pub const fn is_usage_error(&self) -> bool {
        match self {
            Self::UnknownContract { .. } | Self::SeveralContracts { .. } | Self::NoSigner => true,
            Self::Rpc(error) => error.is_usage_error(),
            _ => false,
        }
    }
}
