//! Predicate argument.

use std::str::FromStr;

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_deploy::predicate_address;

use crate::{
    args::{AddressArg, InvalidValue},
    output::suggestion,
};

/// A predicate of the registry by its short name, or any predicate by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PredicateArg {
    Kind(PredicateKind),
    Address(Address),
}

impl PredicateArg {
    /// Short names of the predicates.
    pub(crate) fn names() -> Vec<String> {
        PredicateKind::ALL.map(PredicateKind::slug).to_vec()
    }

    /// The address of the predicate. A name denotes the predicate of this registry.
    pub(crate) fn address(self, registry: Address) -> Address {
        match self {
            Self::Kind(kind) => predicate_address(registry, kind),
            Self::Address(address) => address,
        }
    }
}

impl FromStr for PredicateArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(kind) = PredicateKind::from_slug(&text.to_lowercase()) {
            return Ok(Self::Kind(kind));
        }
        match text.parse() {
            // For the registry zero means open.
            Ok(AddressArg(address)) if address.is_zero() => Err(InvalidValue::ZeroPredicate),
            Ok(AddressArg(address)) => Ok(Self::Address(address)),
            Err(InvalidValue::Address { .. }) if !text.starts_with("0x") => {
                let names = Self::names();
                Err(InvalidValue::Predicate {
                    found: atr_ids::excerpt(text),
                    hint: suggestion::hint(text, names.iter().map(String::as_str)),
                })
            }
            Err(other) => Err(other),
        }
    }
}

/// A predicate, or `open` for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PredicateOrOpen(Option<PredicateArg>);

impl PredicateOrOpen {
    /// The address of the predicate; `None` for `open`.
    pub(crate) fn address(self, registry: Address) -> Option<Address> {
        self.0.map(|predicate| predicate.address(registry))
    }
}

impl FromStr for PredicateOrOpen {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "open" => Ok(Self(None)),
            _ => Ok(Self(Some(text.parse()?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_denotes_the_predicate_of_the_registry() {
        let registry = Address::repeat_byte(1);
        let erc721 = predicate_address(registry, PredicateKind::Erc721);
        let address = |text: &str| text.parse::<PredicateArg>().unwrap().address(registry);
        assert_eq!(address("ERC721"), erc721);
        let other = Address::repeat_byte(2);
        assert_eq!(address(&other.to_string()), other);
    }

    #[test]
    fn rejects_other_names_and_the_zero_address() {
        let error = |text: &str| text.parse::<PredicateArg>().unwrap_err().to_string();
        assert_eq!(
            error("erc712"),
            "`erc712` is not a predicate; did you mean `erc721`? use an address, access-proof, composite, erc1155, erc20, \
             erc721, allowlist, subscription, trait or always-deny"
        );
        assert!(error("0x12").contains("is not an address"));
        assert!(error(&Address::ZERO.to_string()).contains("use `open`"));
    }
}
