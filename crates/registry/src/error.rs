//! Errors of reads and transactions.
//!
//! A result of a read is not an error: see [`ToolState`](crate::ToolState), [`Access`](crate::Access) and
//! [`Introspection`](crate::Introspection).

use alloy::transports::TransportError;
use alloy_primitives::{Address, U256};

use crate::RevertReason;
use atr_rpc::ChainProfile;

/// A read or a transaction failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum Error {
    /// An RPC request or a transaction failed.
    #[error(transparent)]
    Rpc(atr_rpc::Error),
    /// The contract at the address does not behave like a registry.
    #[error("{address} on chain {chain_id} is not an ERC-8257 registry: {reason}")]
    NotARegistry {
        address: Address,
        chain_id: u64,
        reason: String,
    },
    /// There is no code at the address of the registry.
    #[error("no contract at {address} on {}", chain_name(*chain_id))]
    NoContract { address: Address, chain_id: u64 },
    /// No tool was ever registered with this id.
    #[error("tool {id} is not registered{}", tools(count.as_ref()))]
    ToolNotFound {
        id: U256,
        /// Number of tools that were registered; `None` if it was not read.
        count: Option<U256>,
    },
    /// The creator deregistered the tool.
    #[error("tool {id} is deregistered")]
    ToolIsDeregistered { id: U256 },
    /// The registry claims more tools than a full scan reads.
    #[error("the registry claims {count} tools; a full scan reads at most {limit}")]
    TooManyTools { count: U256, limit: u64 },
    /// The node returned a registration without the ones before it. Tool ids are sequential.
    #[error(
        "events of the registry are missing: block {block} registers tool {found}, expected tool {expected}"
    )]
    EventGap {
        block: u64,
        expected: U256,
        found: U256,
    },
    /// The node returned more or fewer registrations than `toolCount()`.
    #[error(
        "events of the registry are missing: at block {block} toolCount() is {count}, but the last tool registered by an event is {registered}"
    )]
    EventsMissing {
        block: u64,
        count: U256,
        registered: U256,
    },
    /// The search for an event was given up.
    #[error(
        "the events before block {block} were not searched: the node returns too few blocks per request"
    )]
    HistoryTooLong { block: u64 },
    /// A simulation of the call reverted. Nothing was sent.
    #[error("{call} would revert: {reason}")]
    WouldRevert { call: String, reason: RevertReason },
}

impl Error {
    /// Whether repeating the same call can help.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Rpc(error) if error.is_retryable())
    }

    /// Whether the operation was rejected: by the contract, the node or the configured limits.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        match self {
            Self::ToolNotFound { .. }
            | Self::ToolIsDeregistered { .. }
            | Self::WouldRevert { .. } => true,
            Self::Rpc(error) => error.is_rejection(),
            _ => false,
        }
    }
}

/// `base (8453)`, or `chain 10` without a name.
fn chain_name(id: u64) -> String {
    match ChainProfile::by_id(id) {
        Some(chain) => format!("{} ({id})", chain.name),
        None => format!("chain {id}"),
    }
}

fn tools(count: Option<&U256>) -> String {
    match count {
        Some(count) if *count == U256::ONE => " (the registry has 1 tool)".to_owned(),
        Some(count) => format!(" (the registry has {count} tools)"),
        None => String::new(),
    }
}

/// Decodes the reason of a revert.
impl From<atr_rpc::Error> for Error {
    fn from(error: atr_rpc::Error) -> Self {
        match error {
            atr_rpc::Error::WouldRevert {
                call,
                message,
                data,
            } => Self::WouldRevert {
                call,
                reason: RevertReason::decode(data, &message),
            },
            other => Self::Rpc(other),
        }
    }
}

/// Adds the name of the RPC method to a transport error.
pub(crate) fn rpc_error(method: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Rpc(atr_rpc::rpc_error(method)(source))
}
