//! Call data argument: bytes that are passed to a predicate.

use std::str::FromStr;

use alloy_primitives::{Bytes, hex};

use crate::args::InvalidValue;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallData(pub(crate) Bytes);

impl FromStr for CallData {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `hex::decode` would accept a second `0x` prefix.
        let digits = text
            .strip_prefix("0x")
            .filter(|digits| !digits.starts_with("0x"));
        let bytes = digits.and_then(|digits| hex::decode(digits).ok());
        let bytes = bytes.ok_or_else(|| InvalidValue::Bytes {
            found: atr_ids::excerpt(text),
        });
        bytes.map(|bytes| Self(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_hex_bytes_with_a_0x_prefix_only() {
        assert_eq!("0x".parse(), Ok(CallData::default()));
        assert_eq!("0x00fF".parse(), Ok(CallData(vec![0, 255].into())));
        for text in ["", "00", "0x0", "0x0g", "0x0x00"] {
            assert!(text.parse::<CallData>().is_err(), "{text:?}");
        }
    }
}
