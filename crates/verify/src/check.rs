//! Names and numbers of the four checks.

use std::fmt;

use serde::{Serialize, Serializer};

/// One of the four checks of ERC-8257 § 7, in the ERC's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// The manifest is served at `metadataURI`.
    Fetch,
    /// `metadataURI` is the well-known URI on the endpoint's origin.
    Origin,
    /// The bytes are valid for hashing, and the canonical hash equals the onchain hash.
    Hash,
    /// `creatorAddress` equals the registered creator.
    Creator,
}

impl Check {
    /// All checks, in order.
    pub const ALL: [Self; 4] = [Self::Fetch, Self::Origin, Self::Hash, Self::Creator];

    /// The number in the ERC, 1 to 4.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Fetch => 1,
            Self::Origin => 2,
            Self::Hash => 3,
            Self::Creator => 4,
        }
    }

    /// Stable machine-readable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Origin => "origin",
            Self::Hash => "hash",
            Self::Creator => "creator",
        }
    }

    /// Short human-readable description.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Fetch => "manifest is served",
            Self::Origin => "manifest URL is well-known on the endpoint's origin",
            Self::Hash => "hash matches the registry",
            Self::Creator => "creator matches the registry",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_listed_in_the_order_of_their_numbers() {
        assert_eq!(Check::ALL.map(Check::number), [1, 2, 3, 4]);
        assert!(Check::ALL.is_sorted());
    }
}
