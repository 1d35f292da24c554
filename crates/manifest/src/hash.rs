//! Manifest hashes.

use std::fmt;

use alloy_primitives::{B256, keccak256};

use crate::{CanonicalBytes, Document, canonical};

/// keccak256 of a canonical form: the hash that `registerTool` commits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestHash(B256);

impl ManifestHash {
    /// Hashes the canonical form of a document in chunks.
    pub(crate) fn from_document(document: &Document) -> Self {
        Self(canonical::hash(document))
    }

    pub(crate) fn from_canonical(canonical: &CanonicalBytes) -> Self {
        Self(keccak256(canonical.as_bytes()))
    }

    /// The hash as `bytes32`, to compare with the onchain hash.
    #[must_use]
    pub const fn to_b256(self) -> B256 {
        self.0
    }
}

impl fmt::Display for ManifestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
