//! What a call must give.

use alloy_primitives::{Address, B256, Bytes, Log};
use alloy_sol_types::SolError;

use crate::Outcome;

/// How a call ends and what it logs, given plenty of gas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Returned or reverted.
    pub outcome: Outcome,
    /// What is logged, in order.
    pub logs: Vec<Log>,
}

impl Reply {
    /// Returns these bytes and logs nothing.
    #[must_use]
    pub fn returns(bytes: impl Into<Bytes>) -> Self {
        Self {
            outcome: Outcome::Returned(bytes.into()),
            logs: Vec::new(),
        }
    }

    /// Returns these bytes after one log by `by`.
    #[must_use]
    pub fn returns_after(
        bytes: impl Into<Bytes>,
        by: Address,
        topics: Vec<B256>,
        data: impl Into<Bytes>,
    ) -> Self {
        Self {
            outcome: Outcome::Returned(bytes.into()),
            logs: vec![Log::new_unchecked(by, topics, data.into())],
        }
    }

    /// Reverts with an error of the interface.
    #[must_use]
    pub fn reverts(error: &impl SolError) -> Self {
        Self {
            outcome: Outcome::Reverted(error.abi_encode().into()),
            logs: Vec::new(),
        }
    }

    /// Reverts without saying why, as calldata that is no call is answered.
    #[must_use]
    pub const fn reverts_silently() -> Self {
        Self {
            outcome: Outcome::Reverted(Bytes::new()),
            logs: Vec::new(),
        }
    }
}
