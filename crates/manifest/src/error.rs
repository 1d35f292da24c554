//! Parse errors of documents.

use crate::{MAX_DEPTH, MAX_MANIFEST_BYTES, Pointer};

/// The first error in a document. The parser never repairs or skips invalid input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document exceeds the size limit. It was not parsed.
    #[error("the document is {bytes} bytes long, maximum {MAX_MANIFEST_BYTES}")]
    TooLarge {
        /// Length in bytes.
        bytes: usize,
    },
    /// EF BB BF at the start.
    #[error("the document starts with a byte-order mark")]
    ByteOrderMark,
    /// Not valid UTF-8.
    #[error("invalid UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// Not valid JSON.
    #[error("invalid JSON at {position}: found {found}, expected {expected}")]
    #[expect(missing_docs, reason = "plain data")]
    NotJson {
        position: TextPosition,
        found: String,
        /// Description of the expected token.
        expected: &'static str,
    },
    /// A `\u` escape with half of a surrogate pair, which cannot be encoded in UTF-8.
    #[error("lone surrogate at {position}, in {pointer:?}")]
    #[expect(missing_docs, reason = "plain data")]
    LoneSurrogate {
        position: TextPosition,
        /// The string, or the object that contains the member name.
        pointer: Pointer,
    },
    /// An object has two members of the same name, after resolving escapes. Parsers disagree on which one to use.
    #[error("duplicate member {:?}", .pointer.as_str())]
    DuplicateName {
        /// The duplicate member.
        pointer: Pointer,
    },
    /// A number outside the range of a double.
    #[error("the number {found} at {pointer} is out of range for a double")]
    #[expect(missing_docs, reason = "plain data")]
    NumberOutOfRange {
        pointer: Pointer,
        /// Excerpt of the number as written.
        found: String,
    },
    /// Nested too deeply.
    #[error("the document is nested more than {MAX_DEPTH} levels deep, at {position}")]
    TooDeep {
        /// The opening bracket that exceeds the limit.
        position: TextPosition,
    },
}

impl Error {
    /// Line and column of the error, if it is known.
    #[must_use]
    pub const fn position(&self) -> Option<TextPosition> {
        match self {
            Self::NotJson { position, .. }
            | Self::LoneSurrogate { position, .. }
            | Self::TooDeep { position } => Some(*position),
            _ => None,
        }
    }
}

/// Line and column in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// Starts at 1.
    pub line: usize,
    /// In characters, starts at 1.
    pub column: usize,
}

impl TextPosition {
    /// Position of a byte offset.
    pub(crate) fn new(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line,
            column: last.chars().count() + 1,
        }
    }
}

impl std::fmt::Display for TextPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}
