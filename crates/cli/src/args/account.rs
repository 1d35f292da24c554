//! Account argument: an address or an ENS name.

use std::{fmt, str::FromStr};

use alloy_primitives::{Address, B256, keccak256};

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
            Err(InvalidValue::Address { .. }) if text.contains('.') => text.parse().map(Self::Name),
            Err(InvalidValue::Address { found }) => Err(InvalidValue::Account { found }),
            Err(error) => Err(error),
        }
    }
}

/// A normalized ENS name. ENSIP-15 maps and rejects many Unicode characters, and a name that is normalized differently belongs to
/// someone else; so only names of ASCII letters, digits, hyphens and leading underscores are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnsName(String);

impl EnsName {
    /// The node of the name (ENSIP-1).
    pub(crate) fn hash(&self) -> B256 {
        let labels = self.0.rsplit('.');
        labels.fold(B256::ZERO, |node, label| {
            keccak256([node, keccak256(label)].concat())
        })
    }
}

impl FromStr for EnsName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |reason| InvalidValue::EnsName {
            found: text.to_owned(),
            reason,
        };
        if !text.is_ascii() {
            return Err(invalid(
                "only ASCII names are supported; use the address of the account",
            ));
        }
        let name = text.to_ascii_lowercase();
        if !name.split('.').all(is_label) {
            return Err(invalid(
                "labels have letters, digits, inner hyphens and leading underscores",
            ));
        }
        Ok(Self(name))
    }
}

/// The ASCII rules of ENSIP-15.
fn is_label(label: &str) -> bool {
    let rest = label.trim_start_matches('_');
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !label.is_empty() && rest.bytes().all(is_allowed) && label.get(2..4) != Some("--")
}

impl fmt::Display for EnsName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    fn hashes_match_ensip_1() {
        let hash = |name: &str| name.parse::<EnsName>().unwrap().hash().to_string();
        assert_eq!(
            hash("eth"),
            "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"
        );
        assert_eq!(
            hash("foo.eth"),
            "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f"
        );
    }

    #[test]
    fn rejects_names_that_would_need_full_normalization() {
        for (text, message) in [
            ("vitalìk.eth", "only ASCII names"),
            ("viтalik.eth", "only ASCII names"),
            ("a..eth", "labels have"),
            (".eth", "labels have"),
            ("xn--a.eth", "labels have"),
            ("a_b.eth", "labels have"),
            ("a b.eth", "labels have"),
        ] {
            let error = text.parse::<AccountArg>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
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
