//! Search tags.

use std::{fmt, str::FromStr};

use crate::{Error, excerpt, label::is_lowercase_label};

/// Maximum length of a tag.
pub const MAX_TAG_CODE_POINTS: usize = 32;

/// A search tag of a tool (ERC-8257 § 2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    /// The tag.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text is a tag.
    #[must_use]
    pub const fn is_valid(text: &str) -> bool {
        is_lowercase_label(text, MAX_TAG_CODE_POINTS)
    }
}

impl FromStr for Tag {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if Self::is_valid(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::Tag {
                found: excerpt(text),
            })
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
