//! Which registry to talk to.

use std::{fmt, str::FromStr};

use alloy_primitives::Address;
use atr_registry::REFERENCE_REGISTRY;

use crate::{
    args::{Account, InvalidValue},
    output::suggestion,
};

/// A registry, by name or by address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RegistryChoice {
    /// The registry of this toolkit.
    #[default]
    Ours,
    /// The reference deployment.
    OpenSea,
    /// Any other.
    At(Address),
}

impl RegistryChoice {
    /// The address, unless it is ours, which follows from a salt.
    pub(crate) const fn address(self) -> Option<Address> {
        match self {
            Self::Ours => None,
            Self::OpenSea => Some(REFERENCE_REGISTRY),
            Self::At(address) => Some(address),
        }
    }

    /// What a name stands for; an address stands for itself.
    pub(crate) fn meaning(self) -> Option<String> {
        match self {
            Self::Ours => Some("the ToolRegistry of this toolkit".to_owned()),
            Self::OpenSea => Some(REFERENCE_REGISTRY.to_string()),
            Self::At(_) => None,
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
            Ok(Account(address)) => Ok(Self::At(address)),
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
            Self::At(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_parses_prints_and_parses_to_itself() {
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
    fn refuses_an_address_whose_case_contradicts_it() {
        let wrong = "0xC8721c9A776958FfFfEb602DA1b708bf1D318379";
        assert_eq!(
            wrong.parse::<RegistryChoice>(),
            Err(InvalidValue::Checksum {
                found: wrong.to_owned()
            })
        );
    }

    #[test]
    fn refuses_what_is_neither_name_nor_address() {
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
