//! Counts that must not be zero.

use std::num::{IntErrorKind, NonZeroUsize};

/// A value parser for a positive number; the message of the standard library names its type.
pub(crate) fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => "the number is too large".to_owned(),
            _ => "use a number of at least 1".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_text_are_rejected() {
        assert_eq!(positive("7").map(NonZeroUsize::get), Ok(7));
        for text in ["0", "-1", "many"] {
            assert_eq!(positive(text).unwrap_err(), "use a number of at least 1");
        }
        assert!(positive(&"9".repeat(30)).unwrap_err().contains("too large"));
    }
}
