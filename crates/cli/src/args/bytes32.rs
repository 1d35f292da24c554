//! `bytes32` argument: a salt or a hash.

use std::str::FromStr;

use alloy_primitives::B256;

use crate::args::InvalidValue;

/// Exactly 32 bytes: shorter values are rejected because tools pad them differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes32(pub(crate) B256);

impl FromStr for Bytes32 {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 64);
        let bytes = digits.and_then(|digits| digits.parse().ok());
        bytes.map(Self).ok_or_else(|| InvalidValue::Bytes32 {
            found: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_exactly_32_bytes() {
        let valid = format!("0x{}", "ab".repeat(32));
        assert_eq!(valid.parse(), Ok(Bytes32(B256::repeat_byte(0xab))));
        for text in [
            "",
            "0x",
            "0x01",
            &valid[2..],
            &format!("{valid}00"),
            &valid.replace('a', "g"),
        ] {
            assert!(text.parse::<Bytes32>().is_err(), "{text:?}");
        }
    }
}
