//! Why bytes are not a document. Seen by whoever reads one; every rule of the manifest comes after this.

use crate::{MAX_DEPTH, MAX_MANIFEST_BYTES, Pointer};

/// The first thing that kept the reader from going on. Nothing is repaired, skipped or replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More bytes than a manifest may have; nothing of them was read.
    #[error("it is {bytes} bytes long, at most {MAX_MANIFEST_BYTES}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// EF BB BF at the beginning. Stripping it would change the bytes others hash.
    #[error("it begins with a byte-order mark")]
    ByteOrderMark,
    /// Bytes that are no UTF-8.
    #[error("it is not UTF-8 at byte {at}")]
    NotUtf8 {
        /// The first such byte.
        at: usize,
    },
    /// Text that is no JSON.
    #[error("it is not JSON at {place}: found {found}, expected {expected}")]
    NotJson {
        /// Where.
        place: Place,
        /// What stands there.
        found: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// Half of a pair of `\u` escapes, which has no UTF-8.
    #[error("half of a surrogate pair at {place}, in {pointer:?}")]
    LoneSurrogate {
        /// Where.
        place: Place,
        /// In which string, or in the name of which member's object.
        pointer: Pointer,
    },
    /// One object has two members of one name, escapes resolved. Parsers disagree which counts.
    #[error("two members are called {:?}", .pointer.as_str())]
    DuplicateName {
        /// The member.
        pointer: Pointer,
    },
    /// A number that overflows a double.
    #[error("the number {found} at {pointer} is too large for a double")]
    NumberOutOfRange {
        /// Where.
        pointer: Pointer,
        /// As written, cut to an excerpt.
        found: String,
    },
    /// More levels than any reader needs to be able to bear.
    #[error("it nests deeper than {MAX_DEPTH} levels, at {place}")]
    TooDeep {
        /// The bracket that is one too many.
        place: Place,
    },
}

/// A place in a text, as editors count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte.
    pub(crate) fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line,
            column: last.chars().count() + 1,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}
