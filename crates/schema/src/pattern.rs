//! How large a pattern is once it is compiled, found before the validator compiles it.
//!
//! The matcher takes linear time (I-13): at most the size of the pattern times the length of the text. That is only a bound if
//! the size is known.

use std::collections::HashMap;

use atr_manifest::Pointer;
use jsonschema_regex::to_rust_regex;
use regex::RegexBuilder;

use crate::{Error, MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_PATTERNS_BYTES, message::bounded};

/// The smallest size that is told apart. Each next is four times as large: trying them all costs a third more than the last.
const SMALLEST_BYTES: usize = 4 << 10;

/// The patterns of a schema.
#[derive(Debug, Default)]
pub(crate) struct Patterns<'a> {
    /// By text: what is written twice is compiled once.
    sizes: HashMap<&'a str, usize>,
    bytes: usize,
}

impl<'a> Patterns<'a> {
    /// The size of a pattern, rounded up; `at` tells where it stands.
    pub(crate) fn kilobytes(
        &mut self,
        pattern: &'a str,
        at: impl Fn() -> Pointer,
    ) -> Result<u64, Error> {
        let size = match self.sizes.get(pattern) {
            Some(size) => Some(*size),
            None => self.measured(pattern),
        };
        let bytes = size.ok_or_else(|| Error::Pattern {
            pointer: at(),
            pattern: bounded(pattern),
        })?;
        Ok(bytes as u64 / 1_024)
    }

    /// How many different ones there are.
    pub(crate) fn count(&self) -> usize {
        self.sizes.len()
    }

    fn measured(&mut self, pattern: &'a str) -> Option<usize> {
        if self.count() == MAX_PATTERNS {
            return None;
        }
        let bytes = compiled_bytes(pattern)?;
        self.bytes += bytes;
        self.sizes.insert(pattern, bytes);
        (self.bytes <= MAX_PATTERNS_BYTES).then_some(bytes)
    }
}

/// None for a pattern that is too large, or that needs a matcher that goes back over its text.
fn compiled_bytes(pattern: &str) -> Option<usize> {
    let pattern = to_rust_regex(pattern).ok()?;
    let mut bytes = SMALLEST_BYTES;
    while bytes <= MAX_PATTERN_BYTES {
        match RegexBuilder::new(&pattern).size_limit(bytes).build() {
            Ok(_) => return Some(bytes),
            Err(regex::Error::CompiledTooBig(_)) => bytes *= 4,
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_with_repetition() {
        // I-13
        assert_eq!(compiled_bytes("^[0-9]+$"), Some(SMALLEST_BYTES));
        assert_eq!(compiled_bytes("^0x[0-9a-f]{64}$"), Some(SMALLEST_BYTES * 4));
        assert_eq!(compiled_bytes(r"^\p{L}{1,64}$"), Some(MAX_PATTERN_BYTES));
        assert_eq!(compiled_bytes("((a{100}){100}){100}"), None);
        assert_eq!(compiled_bytes("(?=a)"), None);
    }

    #[test]
    fn the_same_pattern_counts_once_and_the_sum_has_a_limit() {
        // I-13
        let mut patterns = Patterns::default();
        let large = [
            r"\p{L}{64}",
            r"\p{L}{63}",
            r"\p{L}{62}",
            r"\p{L}{61}",
            r"\p{L}{60}",
        ];
        for pattern in [large[0], large[0], large[1], large[2], large[3]] {
            let kilobytes = patterns.kilobytes(pattern, Pointer::root);
            assert_eq!(kilobytes, Ok(MAX_PATTERN_BYTES as u64 / 1_024));
        }
        assert!(patterns.kilobytes(large[4], Pointer::root).is_err());
    }
}
