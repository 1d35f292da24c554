//! Rule violations.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::{Code, Error, MAX_DEPTH, MAX_MANIFEST_BYTES, Pointer};

/// A violation or warning of a manifest rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Stable machine-readable code.
    pub code: Code,
    /// Location in the document.
    pub pointer: Pointer,
    /// The value found, as an excerpt.
    pub found: String,
    /// The values allowed.
    pub allowed: Cow<'static, str>,
    /// How to fix the violation, in one line.
    pub fix: Cow<'static, str>,
}

impl Violation {
    pub(crate) fn byte_length(&self) -> usize {
        self.pointer.as_str().len() + self.found.len() + self.allowed.len() + self.fix.len()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = match self.pointer.as_str() {
            "" => "the document".to_owned(),
            pointer => atr_ids::sanitize(pointer),
        };
        write!(
            f,
            "{location}: found {}, allowed: {} ({})",
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
                // The caller may have stopped reading at the limit.
                format!("at least {bytes} bytes"),
                format!("at most {MAX_MANIFEST_BYTES} bytes"),
                "move large content out of the manifest and link to it",
            ),
            Error::ByteOrderMark => (
                Code::ByteOrderMark,
                None,
                "a byte-order mark (EF BB BF)".to_owned(),
                "UTF-8 without a byte-order mark".to_owned(),
                "save the file as \"UTF-8\", not \"UTF-8 with BOM\"",
            ),
            Error::NotUtf8 { at } => (
                Code::NotUtf8,
                None,
                format!("invalid UTF-8 at byte {at}"),
                "UTF-8".to_owned(),
                "save the file as UTF-8",
            ),
            Error::NotJson {
                position,
                found,
                expected,
            } => (
                Code::NotJson,
                None,
                format!("{found} at {position}"),
                (*expected).to_owned(),
                "correct the JSON; comments, trailing commas and single quotes are not allowed",
            ),
            Error::LoneSurrogate { position, pointer } => (
                Code::LoneSurrogate,
                Some(pointer),
                format!("a lone surrogate at {position}"),
                "a surrogate pair, or the character itself".to_owned(),
                "use the character itself instead of \\u escapes",
            ),
            Error::DuplicateName { pointer } => (
                Code::DuplicateName,
                Some(pointer),
                "two members with this name".to_owned(),
                "unique member names".to_owned(),
                "remove one of them; parsers disagree on which one to use",
            ),
            Error::NumberOutOfRange { pointer, found } => (
                Code::NumberOutOfRange,
                Some(pointer),
                found.clone(),
                "a number in the range of a double".to_owned(),
                "use a string",
            ),
            Error::TooDeep { position } => (
                Code::TooDeep,
                None,
                format!("level {} at {position}", MAX_DEPTH + 1),
                format!("at most {MAX_DEPTH} levels"),
                "reduce the nesting",
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
    fn displays_the_pointer_and_counts_the_bytes_of_all_texts() {
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
        assert_eq!(violation.to_string(), "/ab: found x, allowed: y (not-json)");
        violation.pointer = Pointer::root();
        assert_eq!(
            violation.to_string(),
            "the document: found x, allowed: y (not-json)"
        );
    }
}
