//! Tool slugs.

use std::{fmt, str::FromStr};

use crate::{Error, excerpt, label::is_lowercase_label};

/// Maximum length of a slug.
pub const MAX_SLUG_CHARACTERS: usize = 64;

/// Name of a tool within its origin: the last path segment of its manifest URL, without `.json` (ERC-8257 § 6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The slug.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text is a slug.
    #[must_use]
    pub const fn is_valid(text: &str) -> bool {
        is_lowercase_label(text, MAX_SLUG_CHARACTERS)
    }
}

impl FromStr for Slug {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if Self::is_valid(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::Slug {
                found: excerpt(text),
            })
        }
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
