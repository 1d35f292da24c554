//! Why a tool could not be looked at. Seen by the edges; a tool that was looked at has a [`Verdict`](crate::Verdict).

use alloy_primitives::Address;
use atr_ids::ToolRef;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The registry could not be asked.
    #[error("the registry could not be asked")]
    Registry(#[from] atr_registry::Error),
    /// The tool is in another registry than the one that is asked.
    #[error("{tool} is not in registry {registry} on chain {chain}")]
    OtherRegistry {
        /// The tool.
        tool: ToolRef,
        /// The chain that is asked.
        chain: u64,
        /// The registry that is asked.
        registry: Address,
    },
    /// This build cannot tell NFC as the ERC wants it.
    #[error("this build's Unicode tables are older than version 16; it must not verify")]
    OldUnicode,
}

impl Error {
    /// Whether the same question may be answered when simply asked again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Registry(error) => error.is_retryable(),
            Self::OtherRegistry { .. } | Self::OldUnicode => false,
        }
    }
}
