//! Account argument: an address or an ENS name.

use std::str::FromStr;

use alloy_primitives::Address;
use atr_rpc::EnsName;

use crate::args::{AddressArg, InvalidValue};

/// An account. A name is resolved on the chain of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AccountArg {
    Address(Address),
    Name(EnsName),
}

impl FromStr for AccountArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(AddressArg(address)) => Ok(Self::Address(address)),
            // Not a mistyped address.
            Err(InvalidValue::Address { .. }) if text.contains('.') => {
                Ok(Self::Name(text.parse()?))
            }
            Err(InvalidValue::Address { found }) => Err(InvalidValue::Account { found }),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_addresses_and_names() {
        let address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assert!(matches!(address.parse(), Ok(AccountArg::Address(_))));
        let Ok(AccountArg::Name(name)) = "Vitalik.ETH".parse() else {
            panic!("not a name");
        };
        assert_eq!(name.to_string(), "vitalik.eth");
        for text in ["_a.b-c.eth", "a-.eth", "-a.eth", "$.eth"] {
            assert_eq!(
                text.parse::<AccountArg>().is_ok(),
                text != "$.eth",
                "{text}"
            );
        }
    }

    #[test]
    fn other_values_are_neither_an_address_nor_a_name() {
        for text in ["", "0x00", "vitalik"] {
            let error = text.parse::<AccountArg>().unwrap_err().to_string();
            assert!(error.contains("neither an address"), "{text}: {error}");
        }
        let wrong = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assert!(matches!(
            wrong.parse::<AccountArg>(),
            Err(InvalidValue::Checksum { .. })
        ));
    }
}
