//! Address argument.

use std::str::FromStr;

use alloy_primitives::Address;

use crate::args::InvalidValue;

/// An address. Mixed case must match the EIP-55 checksum; all lower or all upper case has no checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressArg(pub(crate) Address);

impl FromStr for AddressArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").unwrap_or_default();
        // `Address::from_str` would accept a second `0x` prefix.
        let address = digits.parse().ok().filter(|_: &Address| digits.len() == 40);
        let Some(address) = address else {
            return Err(InvalidValue::Address {
                found: text.to_owned(),
            });
        };
        let mixed = digits.bytes().any(|byte| byte.is_ascii_lowercase())
            && digits.bytes().any(|byte| byte.is_ascii_uppercase());
        if mixed && address.to_checksum(None) != text {
            return Err(InvalidValue::Checksum {
                found: text.to_owned(),
            });
        }
        Ok(Self(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_all_lower_and_all_upper_case() {
        let lower = "0xc8721c9a776958ffffeb602da1b708bf1d318379";
        let upper = format!("0x{}", lower[2..].to_uppercase());
        assert_eq!(lower.parse::<AddressArg>(), upper.parse());
    }

    #[test]
    fn rejects_a_wrong_checksum() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        let expected = InvalidValue::Checksum {
            found: wrong.to_owned(),
        };
        assert_eq!(wrong.parse::<AddressArg>(), Err(expected));
    }

    #[test]
    fn rejects_values_that_are_not_addresses() {
        for text in [
            "",
            "0x",
            "0x00",
            "c8721c9a776958ffffeb602da1b708bf1d318379",
            "0x0xc8721c9a776958ffffeb602da1b708bf1d318379",
            "name.eth",
        ] {
            let rejected = matches!(
                text.parse::<AddressArg>(),
                Err(InvalidValue::Address { .. })
            );
            assert!(rejected, "{text:?}");
        }
    }
}
