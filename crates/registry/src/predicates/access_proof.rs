//! `AccessProofPredicate`: grants access to accounts that signed an AccessProof. The call data contains deadline and signature.

use std::fmt;

use alloy_primitives::B256;
use serde::Serialize;

use super::PredicateModule;
use crate::abi::{AbiSlice, Malformed};

pub(super) struct Module;

impl PredicateModule for Module {}

/// Presents a signed AccessProof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// EIP-712 domain separator of the proof.
    pub domain_separator: B256,
}

impl Requirement {
    pub(super) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        data.expect_words(1)?;
        Ok(Self {
            domain_separator: data.bytes32(0)?,
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sign an AccessProof; pass deadline and signature as call data")
    }
}
