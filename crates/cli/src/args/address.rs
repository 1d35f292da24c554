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
        let found = || text.to_owned();
        match atr_ids::parse_checksummed_address(text) {
            Ok(address) => Ok(Self(address)),
            Err(atr_ids::Error::Checksum { .. }) => Err(InvalidValue::Checksum { found: found() }),
            Err(_) => Err(InvalidValue::Address { found: found() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_wrong_checksum() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        let expected = InvalidValue::Checksum {
            found: wrong.to_owned(),
        };
        assert_eq!(wrong.parse::<AddressArg>(), Err(expected));
    }

    #[test]
    fn rejects_a_value_that_is_not_an_address() {
        let expected = InvalidValue::Address {
            found: "name.eth".to_owned(),
        };
        assert_eq!("name.eth".parse::<AddressArg>(), Err(expected));
    }
}
