//! Address argument.

use std::str::FromStr;

use alloy_primitives::Address;
use atr_ids::AddressError;

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
            Err(AddressError::Checksum) => Err(InvalidValue::Checksum { found: found() }),
            Err(AddressError::Malformed) => Err(InvalidValue::Address { found: found() }),
        }
    }
}
