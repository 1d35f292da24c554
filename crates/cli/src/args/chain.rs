//! Chains by name or number.

use std::{fmt, str::FromStr};

use crate::{
    args::{InvalidValue, RpcUrl},
    output::suggestion,
};

/// The chains known by name: those with a public ERC-8257 registry, their test network, and the local node. Their coin
/// last.
const NAMED: [(&str, u64, &str); 8] = [
    ("mainnet", 1, "ETH"),
    ("base", 8453, "ETH"),
    ("base-sepolia", 84532, "ETH"),
    ("shape", 360, "ETH"),
    ("abstract", 2741, "ETH"),
    ("monad", 143, "MON"),
    ("robinhood", 4663, "ETH"),
    (LOCAL, 31337, "ETH"),
];

/// The one chain whose node is known without being told.
const LOCAL: &str = "anvil";
const LOCAL_NODE: &str = "http://127.0.0.1:8545";

/// A chain, by the id it signs with (EIP-155).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    id: u64,
}

impl Chain {
    /// The names that can be given instead of an id.
    pub(crate) fn names() -> [&'static str; NAMED.len()] {
        NAMED.map(|(name, ..)| name)
    }

    /// The chain of an id.
    pub(crate) const fn of_id(id: u64) -> Self {
        Self { id }
    }

    /// The id.
    pub(crate) const fn id(self) -> u64 {
        self.id
    }

    /// What its native coin is called, as far as we know.
    pub(crate) fn coin(self) -> &'static str {
        let known = NAMED.iter().find(|(_, id, _)| *id == self.id);
        known.map_or("native", |(.., coin)| coin)
    }

    /// Where its node listens unless somebody says otherwise. Only the local one does so at a place we know; which node to
    /// trust with a deployment on any other chain is the operator's choice.
    pub(crate) fn usual_node(self) -> Option<RpcUrl> {
        let is_local = self.to_string() == LOCAL;
        is_local.then(|| LOCAL_NODE.parse().expect("the address is a constant"))
    }

    /// `base (8453)`, or the number alone.
    pub(crate) fn named(self) -> String {
        let (name, id) = (self.to_string(), self.id.to_string());
        if name == id {
            id
        } else {
            format!("{name} ({id})")
        }
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
            .find(|(name, ..)| *name == text)
            .map(|(_, id, _)| *id);
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
        match NAMED.iter().find(|(_, id, _)| *id == self.id) {
            Some((name, ..)) => f.write_str(name),
            None => write!(f, "{}", self.id),
        }
    }
}

/// A chain on the command line: its name or id, or the URL of a node that is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChainFlag {
    Chain(Chain),
    Node(RpcUrl),
}

impl FromStr for ChainFlag {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("://") {
            return text.parse().map(Self::Node);
        }
        text.parse().map(Self::Chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_local_chain_has_a_node_we_know() {
        for (name, id, _) in NAMED {
            assert_eq!(Chain::of_id(id).usual_node().is_some(), name == "anvil");
        }
    }

    #[test]
    fn a_url_in_place_of_a_chain_is_a_node() {
        let node: ChainFlag = "http://127.0.0.1:1".parse().unwrap();
        assert!(matches!(node, ChainFlag::Node(_)));
        let base: ChainFlag = "base".parse().unwrap();
        assert_eq!(base, ChainFlag::Chain(Chain::of_id(8453)));
        assert!("ftp://node.example".parse::<ChainFlag>().is_err());
    }

    #[test]
    fn a_name_and_its_id_are_the_same_chain() {
        for (name, id, _) in NAMED {
            let chain: Chain = name.parse().unwrap();
            assert_eq!(chain, id.to_string().parse().unwrap());
            assert_eq!(chain.to_string(), name);
            assert_eq!(chain.caip2(), format!("eip155:{id}"));
        }
    }

    #[test]
    fn a_chain_without_a_name_goes_by_its_id() {
        assert_eq!("10".parse::<Chain>().unwrap().to_string(), "10");
        assert_eq!(Chain::of_id(10).named(), "10");
        assert_eq!(Chain::of_id(8453).named(), "base (8453)");
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
