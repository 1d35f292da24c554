//! The expected result of a call.

use alloy_primitives::{Address, B256, Bytes, Log};
use alloy_sol_types::SolError;

use crate::Outcome;

/// The expected result of a call with enough gas.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct CallResult {
    pub outcome: Outcome,
    pub logs: Vec<Log>,
}

impl CallResult {
    /// Returns these bytes without logs.
    #[must_use]
    pub fn returns(bytes: impl Into<Bytes>) -> Self {
        Self {
            outcome: Outcome::Returned(bytes.into()),
            logs: Vec::new(),
        }
    }

    /// Returns these bytes and emits one log.
    #[must_use]
    pub fn returns_with_log(
        bytes: impl Into<Bytes>,
        emitter: Address,
        topics: Vec<B256>,
        data: impl Into<Bytes>,
    ) -> Self {
        Self {
            outcome: Outcome::Returned(bytes.into()),
            logs: vec![Log::new_unchecked(emitter, topics, data.into())],
        }
    }

    /// Reverts with a custom error.
    #[must_use]
    pub fn reverts(error: &impl SolError) -> Self {
        Self {
            outcome: Outcome::Reverted(error.abi_encode().into()),
            logs: Vec::new(),
        }
    }

    /// Reverts without data, as Solidity does for calldata it cannot decode.
    #[must_use]
    pub const fn reverts_without_data() -> Self {
        Self {
            outcome: Outcome::Reverted(Bytes::new()),
            logs: Vec::new(),
        }
    }
}
