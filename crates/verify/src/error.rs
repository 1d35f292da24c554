//! Why a tool could not be verified. A tool that was verified or failed has a [`Verdict`](crate::Verdict) instead.

use alloy_primitives::Address;
use atr_ids::ToolRef;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The registry could not be read.
    #[error("cannot read the registry")]
    Registry(#[from] atr_registry::Error),
    /// The tool belongs to a registry other than the verifier's.
    #[error("{tool} is not in registry {registry} on chain {chain}")]
    #[expect(missing_docs, reason = "plain data")]
    OtherRegistry {
        tool: ToolRef,
        /// The verifier's chain.
        chain: u64,
        /// The verifier's registry.
        registry: Address,
    },
    /// The Unicode tables of this build are too old for NFC as the ERC requires it (T-11).
    #[error("this build has Unicode tables older than version 16.0, which verification requires")]
    UnicodeTooOld,
}

impl Error {
    /// Whether a retry can succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Registry(error) => error.is_retryable(),
            Self::OtherRegistry { .. } | Self::UnicodeTooOld => false,
        }
    }
}
