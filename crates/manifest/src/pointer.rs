//! JSON pointers (RFC 6901): where in a document something stands.

use std::fmt::{self, Write};

use serde::Serialize;

/// A place in a document; empty is the whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// The document itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// A member of the object here.
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

    /// An element of the array here.
    #[must_use]
    pub fn element(mut self, index: usize) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "/{index}");
        self
    }

    /// The text.
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
    }
}
