//! Chains by name or number.

use std::{fmt, str::FromStr};

use crate::{invalid_value::InvalidValue, suggestion};

/// The chains known by name: those with a public ERC-8257 registry, their test network, and the local node.
const NAMED: [(&str, u64); 8] = [
    ("mainnet", 1),
    ("base", 8453),
    ("base-sepolia", 84532),
    ("shape", 360),
    ("abstract", 2741),
    ("monad", 143),
    ("robinhood", 4663),
    ("anvil", 31337),
];

/// A chain, by the id it signs with (EIP-155).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    id: u64,
}

impl Chain {
    /// The names that can be given instead of an id.
    pub(crate) fn names() -> [&'static str; NAMED.len()] {
        NAMED.map(|(name, _)| name)
    }

    /// The id, written as in CAIP-2.
    pub(crate) fn caip2(self) -> String {
        format!("eip155:{}", self.id)
    }
}

impl FromStr for Chain {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = NAMED
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, id)| *id);
        // Digits only: `parse` alone would let `+1` through.
        let number = || {
            text.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| text.parse().ok())
                .flatten()
        };
        match named.or_else(number) {
            Some(id) if id != 0 => Ok(Self { id }),
            _ => Err(InvalidValue::Chain {
                found: text.to_owned(),
                hint: suggestion::hint(text, Self::names()),
            }),
        }
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, id)| *id == self.id) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_its_id_are_the_same_chain() {
        for (name, id) in NAMED {
            let chain: Chain = name.parse().unwrap();
            assert_eq!(chain, id.to_string().parse().unwrap());
            assert_eq!(chain.to_string(), name);
            assert_eq!(chain.caip2(), format!("eip155:{id}"));
        }
    }

    #[test]
    fn a_chain_without_a_name_goes_by_its_id() {
        assert_eq!("10".parse::<Chain>().unwrap().to_string(), "10");
    }

    #[test]
    fn refuses_what_is_neither_name_nor_id() {
        for text in [
            "",
            "0",
            "+1",
            "-1",
            "1.0",
            "0x1",
            " 1",
            "Mainnet",
            "18446744073709551616",
        ] {
            assert!(text.parse::<Chain>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn says_which_name_was_probably_meant() {
        let message = "mainet".parse::<Chain>().unwrap_err().to_string();
        assert_eq!(
            message,
            "`mainet` is not a chain; did you mean `mainnet`? use a chain id or one of \
             mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil"
        );
    }
}
