//! One thing that is wrong with a manifest, told so that its owner can act.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::{Code, Error, MAX_DEPTH, MAX_MANIFEST_BYTES, Pointer};

/// What is wrong, where, what was found, what is allowed, and how to put it right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The same in every version.
    pub code: Code,
    /// Where in the document.
    pub pointer: Pointer,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub allowed: Cow<'static, str>,
    /// One line that puts it right.
    pub fix: Cow<'static, str>,
}

impl Violation {
    pub(crate) fn byte_length(&self) -> usize {
        self.pointer.as_str().len() + self.found.len() + self.allowed.len() + self.fix.len()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.pointer.as_str() {
            "" => "the document",
            pointer => pointer,
        };
        write!(
            f,
            "{place}: found {}, allowed is {} ({})",
            self.found, self.allowed, self.code
        )
    }
}

impl From<&Error> for Violation {
    fn from(error: &Error) -> Self {
        let (code, pointer, found, allowed, fix) = match error {
            Error::TooLarge { bytes } => (
                Code::TooLarge,
                None,
                // Whoever reads may have stopped at the first byte too many.
                format!("at least {bytes} bytes"),
                format!("at most {MAX_MANIFEST_BYTES} bytes"),
                "move what is large out of the manifest and link to it",
            ),
            Error::ByteOrderMark => (
                Code::ByteOrderMark,
                None,
                "a byte-order mark (EF BB BF)".to_owned(),
                "UTF-8 without one".to_owned(),
                "save the file as \"UTF-8\", not \"UTF-8 with BOM\"",
            ),
            Error::NotUtf8 { at } => (
                Code::NotUtf8,
                None,
                format!("a byte that is no UTF-8, at byte {at}"),
                "UTF-8".to_owned(),
                "save the file as UTF-8",
            ),
            Error::NotJson {
                place,
                found,
                expected,
            } => (
                Code::NotJson,
                None,
                format!("{found} at {place}"),
                (*expected).to_owned(),
                "correct the JSON there; comments, trailing commas and single quotes are not JSON",
            ),
            Error::LoneSurrogate { place, pointer } => (
                Code::LoneSurrogate,
                Some(pointer),
                format!("half of a surrogate pair at {place}"),
                "both halves, or the character itself".to_owned(),
                "write the character itself instead of \\u escapes",
            ),
            Error::DuplicateName { pointer } => (
                Code::DuplicateName,
                Some(pointer),
                "two members of this name".to_owned(),
                "one".to_owned(),
                "remove one of them: readers disagree on which counts",
            ),
            Error::NumberOutOfRange { pointer, found } => (
                Code::NumberOutOfRange,
                Some(pointer),
                found.clone(),
                "a number that fits a double".to_owned(),
                "write it as a string",
            ),
            Error::TooDeep { place } => (
                Code::TooDeep,
                None,
                format!("level {} at {place}", MAX_DEPTH + 1),
                format!("at most {MAX_DEPTH} levels"),
                "flatten what nests so deeply",
            ),
        };
        Self {
            code,
            pointer: pointer.cloned().unwrap_or_default(),
            found,
            allowed: Cow::Owned(allowed),
            fix: Cow::Borrowed(fix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_tells_its_place_and_counts_all_its_words() {
        let mut violation = Violation {
            code: Code::NotJson,
            pointer: Pointer::root().member("ab"),
            found: "c".repeat(10),
            allowed: "d".repeat(100).into(),
            fix: "e".repeat(1_000).into(),
        };
        assert_eq!(violation.byte_length(), 1_113);
        violation.found = "x".into();
        violation.allowed = "y".into();
        assert_eq!(
            violation.to_string(),
            "/ab: found x, allowed is y (not-json)"
        );
        violation.pointer = Pointer::root();
        assert_eq!(
            violation.to_string(),
            "the document: found x, allowed is y (not-json)"
        );
    }
}
