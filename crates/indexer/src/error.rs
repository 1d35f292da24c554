//! Errors of the indexer.

use alloy_primitives::{Address, B256, U256};

/// Why indexing ended or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    #[error(transparent)]
    Store(#[from] atr_store::Error),
    #[error(transparent)]
    Registry(#[from] atr_registry::Error),
    #[error(transparent)]
    Verify(#[from] atr_verify::Error),
    /// Another process has the lock of the database.
    #[error("another process indexes into this database")]
    Locked,
    /// The code of a registry is not the pinned one (K-04).
    #[error(
        "the code of registry {registry} on chain {chain_id} changed: its hash is {found}, the pinned one is {pinned}; its events can \
         no longer be trusted"
    )]
    CodeChanged {
        chain_id: u64,
        registry: Address,
        pinned: B256,
        found: B256,
    },
    /// The registry's state of a tool is not the one that its events give.
    #[error(
        "events of tool {tool} of registry {registry} on chain {chain_id} are missing: the node returned none from block {block} on, but \
         the registry says something else about the tool than the events before"
    )]
    ToolDiffers {
        chain_id: u64,
        registry: Address,
        tool: U256,
        block: u64,
    },
    /// The stored position cannot be read.
    #[error("the stored position of registry {registry} on chain {chain_id} is invalid: {reason}")]
    Checkpoint {
        chain_id: u64,
        registry: Address,
        reason: String,
    },
    /// The node does not have the header of a block that it returned logs of.
    #[error("the node does not have block {hash}, whose logs it returned")]
    NoHeader { hash: B256 },
}

impl Error {
    /// Whether the same operation can succeed later without a change of configuration or data.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Registry(error) => error.is_retryable(),
            Self::Verify(error) => error.is_retryable(),
            Self::Store(atr_store::Error::Database(_) | atr_store::Error::Conflict)
            | Self::NoHeader { .. } => true,
            _ => false,
        }
    }

    /// Whether only the operator can help. Anything else is tried again: errors of nodes say little about their cause.
    pub(crate) const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::CodeChanged { .. }
                | Self::Checkpoint { .. }
                | Self::Registry(atr_registry::Error::Rpc(
                    atr_rpc::Error::ReorgTooDeep { .. }
                ))
        )
    }

    /// Whether the node returned fewer events than there are.
    pub(crate) const fn is_missing_events(&self) -> bool {
        matches!(
            self,
            Self::ToolDiffers { .. }
                | Self::Registry(
                    atr_registry::Error::EventGap { .. }
                        | atr_registry::Error::EventsMissing { .. }
                )
        )
    }
}
