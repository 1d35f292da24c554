//! Registry argument.

use std::{fmt, str::FromStr};

use alloy_primitives::{Address, B256};
use atr_deploy::Suite;
use atr_registry::REFERENCE_REGISTRY;

use crate::{
    args::{AddressArg, InvalidValue},
    output::suggestion,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RegistryChoice {
    /// The registry that `atr deploy` deploys.
    #[default]
    Ours,
    /// The public reference deployment.
    OpenSea,
    Address(Address),
}

impl RegistryChoice {
    /// `None` for `ours`, whose address depends on the salt.
    pub(crate) const fn address(self) -> Option<Address> {
        match self {
            Self::Ours => None,
            Self::OpenSea => Some(REFERENCE_REGISTRY),
            Self::Address(address) => Some(address),
        }
    }

    /// The address of a name; `None` for an address.
    pub(crate) fn description(self) -> Option<String> {
        match self {
            Self::Ours => Some(Suite::new(B256::ZERO).registry().to_string()),
            Self::OpenSea => Some(REFERENCE_REGISTRY.to_string()),
            Self::Address(_) => None,
        }
    }
}

impl FromStr for RegistryChoice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ours" => return Ok(Self::Ours),
            "opensea" => return Ok(Self::OpenSea),
            _ => {}
        }
        match text.parse() {
            Ok(AddressArg(address)) => Ok(Self::Address(address)),
            Err(InvalidValue::Address { .. }) => Err(InvalidValue::Registry {
                found: text.to_owned(),
                hint: suggestion::hint(text, ["ours", "opensea"]),
            }),
            Err(other) => Err(other),
        }
    }
}

impl fmt::Display for RegistryChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours => f.write_str("ours"),
            Self::OpenSea => f.write_str("opensea"),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_the_inverse_of_parse() {
        for text in [
            "ours",
            "opensea",
            "0xc8721c9A776958FfFfEb602DA1b708bf1D318379",
        ] {
            let choice: RegistryChoice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
        }
    }

    #[test]
    fn rejects_an_address_with_a_wrong_checksum() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        assert_eq!(
            wrong.parse::<RegistryChoice>(),
            Err(InvalidValue::Checksum {
                found: wrong.to_owned()
            })
        );
    }

    #[test]
    fn rejects_values_that_are_neither_a_name_nor_an_address() {
        for text in [
            "",
            "0x",
            "Ours",
            "c8721c9a776958ffffeb602da1b708bf1d318379",
            "0x00",
        ] {
            assert!(
                matches!(
                    text.parse::<RegistryChoice>(),
                    Err(InvalidValue::Registry { .. })
                ),
                "{text:?}"
            );
        }
    }
}
