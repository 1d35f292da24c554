//! 32 bytes on the command line: a salt, a hash.

use std::str::FromStr;

use alloy_primitives::B256;

use crate::args::InvalidValue;

/// Exactly 32 bytes, so that no two readers pad a shorter one differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) B256);

impl FromStr for Word {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 64);
        let word = digits.and_then(|digits| digits.parse().ok());
        word.map(Self).ok_or_else(|| InvalidValue::Word {
            found: text.to_owned(),
            what: "32-byte word",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_32_bytes_and_nothing_shorter() {
        let word = format!("0x{}", "ab".repeat(32));
        assert_eq!(word.parse(), Ok(Word(B256::repeat_byte(0xab))));
        for text in [
            "",
            "0x",
            "0x01",
            &word[2..],
            &format!("{word}00"),
            &word.replace('a', "g"),
        ] {
            assert!(text.parse::<Word>().is_err(), "{text:?}");
        }
    }
}
