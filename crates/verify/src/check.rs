//! The four checks by name and number.

use std::fmt;

use serde::{Serialize, Serializer};

/// One of the four checks of ERC-8257 § 7, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// The manifest is served at `metadataURI`.
    Fetched,
    /// That is the well-known place on the endpoint's origin.
    Origin,
    /// Its bytes keep the rules for hashing, and hash to the onchain value.
    Hash,
    /// It names the onchain creator.
    Creator,
}

impl Check {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Self::Fetched, Self::Origin, Self::Hash, Self::Creator];

    /// Its number in the ERC.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Fetched => 1,
            Self::Origin => 2,
            Self::Hash => 3,
            Self::Creator => 4,
        }
    }

    /// The word for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetched => "fetch",
            Self::Origin => "origin",
            Self::Hash => "hash",
            Self::Creator => "creator",
        }
    }

    /// What it makes sure of, for people.
    #[must_use]
    pub const fn claim(self) -> &'static str {
        match self {
            Self::Fetched => "the manifest is served",
            Self::Origin => "by the endpoint's own origin",
            Self::Hash => "with the registered hash",
            Self::Creator => "and names the creator",
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
    fn the_order_of_the_list_is_that_of_the_numbers() {
        assert_eq!(Check::ALL.map(Check::number), [1, 2, 3, 4]);
        assert!(Check::ALL.is_sorted());
    }
}
