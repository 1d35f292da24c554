//! An address on the command line.

use std::str::FromStr;

use alloy_primitives::Address;

use crate::args::InvalidValue;

/// An address as a person gives it. In mixed case it must pass its checksum; in one case it carries none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account(pub(crate) Address);

impl FromStr for Account {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").unwrap_or_default();
        // The parser would take a second prefix for granted.
        let address = digits.parse().ok().filter(|_: &Address| digits.len() == 40);
        let Some(address) = address else {
            return Err(InvalidValue::Address {
                found: text.to_owned(),
            });
        };
        // EIP-55 hides a checksum in mixed case; one case only carries none.
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
    fn an_address_without_checksum_is_taken_in_either_case() {
        let lower = "0xc8721c9a776958ffffeb602da1b708bf1d318379";
        let upper = format!("0x{}", lower[2..].to_uppercase());
        assert_eq!(lower.parse::<Account>(), upper.parse());
    }

    #[test]
    fn refuses_an_address_whose_case_contradicts_it() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        let refused = InvalidValue::Checksum {
            found: wrong.to_owned(),
        };
        assert_eq!(wrong.parse::<Account>(), Err(refused));
    }

    #[test]
    fn refuses_what_is_no_address() {
        for text in [
            "",
            "0x",
            "0x00",
            "c8721c9a776958ffffeb602da1b708bf1d318379",
            "0x0xc8721c9a776958ffffeb602da1b708bf1d318379",
            "name.eth",
        ] {
            let refused = matches!(text.parse::<Account>(), Err(InvalidValue::Address { .. }));
            assert!(refused, "{text:?}");
        }
    }
}
