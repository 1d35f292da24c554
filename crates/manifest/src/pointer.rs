//! JSON pointers (RFC 6901).

use std::fmt::{self, Write};

use serde::Serialize;

/// A JSON pointer. Empty for the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer of the whole document.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Appends a member name.
    #[must_use]
    pub fn member(mut self, name: &str) -> Self {
        self.0.push('/');
        for character in name.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
        self
    }

    /// Appends an array index.
    #[must_use]
    pub fn element(mut self, index: usize) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "/{index}");
        self
    }

    /// Appends all tokens of another pointer.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    /// Member names and array indices, with escapes resolved.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = String> {
        let tokens = self.0.split('/').skip(1);
        tokens.map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    /// The pointer in RFC 6901 syntax.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilde_and_slash_are_escaped() {
        let pointer = Pointer::root().member("a/b").element(3).member("~");
        assert_eq!(pointer.as_str(), "/a~1b/3/~0");
        assert_eq!(pointer.to_string(), pointer.as_str());
        assert_eq!(Pointer::root().as_str(), "");
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), ["a/b", "3", "~"]);
        assert_eq!(Pointer::root().tokens().count(), 0);
        let joined = Pointer::root().member("x").join(&pointer);
        assert_eq!(joined.as_str(), "/x/a~1b/3/~0");
    }
}
