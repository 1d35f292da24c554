//! Reading sources: which tests stand in them, and what the bodies of those tests say.

pub mod lexer;
pub mod rust;
pub mod solidity;

/// A file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path from the repository's root, with forward slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl SourceFile {
    /// A file from its parts.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }
}
