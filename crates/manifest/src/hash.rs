//! The hash a registry holds of a manifest.

use std::fmt;

use alloy_primitives::{B256, keccak256};

use crate::{CanonicalBytes, Document, canonical};

/// keccak256 of a canonical form: what `registerTool` commits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestHash(B256);

impl ManifestHash {
    /// The hash of a document, its canonical form never held whole.
    #[must_use]
    pub fn of_document(document: &Document) -> Self {
        Self(canonical::hash(document))
    }

    /// The hash of a canonical form. There is no way to hash anything else.
    #[must_use]
    pub fn of(canonical: &CanonicalBytes) -> Self {
        Self(keccak256(canonical.as_bytes()))
    }

    /// The word to compare with the one on chain.
    #[must_use]
    pub const fn word(self) -> B256 {
        self.0
    }
}

impl fmt::Display for ManifestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
