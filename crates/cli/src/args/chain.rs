//! Chain argument.

use std::{fmt, str::FromStr};

use super::{InvalidValue, RpcUrl};
use crate::output::suggestion;

/// Named chains: name, chain id, currency symbol. These have a public ERC-8257 registry, or are for testing.
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

const LOCAL: &str = "anvil";
const LOCAL_RPC_URL: &str = "http://127.0.0.1:8545";

/// A chain, identified by its EIP-155 chain id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    id: u64,
}

impl Chain {
    pub(crate) fn names() -> [&'static str; NAMED.len()] {
        NAMED.map(|(name, ..)| name)
    }

    pub(crate) const fn new(id: u64) -> Self {
        Self { id }
    }

    pub(crate) const fn id(self) -> u64 {
        self.id
    }

    /// Symbol of the native currency; `native` if unknown.
    pub(crate) fn currency(self) -> &'static str {
        let known = NAMED.iter().find(|(_, id, _)| *id == self.id);
        known.map_or("native", |(.., currency)| currency)
    }

    /// Only the local chain has a default RPC URL; for all others the user chooses the node to trust.
    pub(crate) fn default_rpc_url(self) -> Option<RpcUrl> {
        let is_local = self.to_string() == LOCAL;
        is_local.then(|| LOCAL_RPC_URL.parse().expect("the constant is a valid URL"))
    }

    /// `base (8453)`, or the id alone.
    pub(crate) fn label(self) -> String {
        let (name, id) = (self.to_string(), self.id.to_string());
        if name == id {
            id
        } else {
            format!("{name} ({id})")
        }
    }

    /// The CAIP-2 id.
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
        // Digits only: `u64::from_str` also accepts `+1`.
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

/// Value of `--chain`: a name, an id, or an RPC URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChainArg {
    Chain(Chain),
    RpcUrl(RpcUrl),
}

impl FromStr for ChainArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("://") {
            return text.parse().map(Self::RpcUrl);
        }
        text.parse().map(Self::Chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_local_chain_has_a_default_rpc_url() {
        for (name, id, _) in NAMED {
            assert_eq!(Chain::new(id).default_rpc_url().is_some(), name == "anvil");
        }
    }

    #[test]
    fn accepts_an_rpc_url_instead_of_a_chain() {
        let url: ChainArg = "http://127.0.0.1:1".parse().unwrap();
        assert!(matches!(url, ChainArg::RpcUrl(_)));
        let base: ChainArg = "base".parse().unwrap();
        assert_eq!(base, ChainArg::Chain(Chain::new(8453)));
        assert!("ftp://node.example".parse::<ChainArg>().is_err());
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
    fn displays_a_chain_without_a_name_as_its_id() {
        assert_eq!("10".parse::<Chain>().unwrap().to_string(), "10");
        assert_eq!(Chain::new(10).label(), "10");
        assert_eq!(Chain::new(8453).label(), "base (8453)");
    }

    #[test]
    fn rejects_values_that_are_neither_a_name_nor_an_id() {
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
    fn suggests_the_closest_name() {
        let message = "mainet".parse::<Chain>().unwrap_err().to_string();
        assert_eq!(
            message,
            "`mainet` is not a chain; did you mean `mainnet`? use a chain id or one of \
             mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil"
        );
    }
}
