//! Chain argument.

use std::{fmt, str::FromStr};

use alloy_primitives::{Address, B256};
use atr_rpc::{CHAINS, ChainProfile};

use super::{InvalidValue, RpcUrl, rpc_url::is_endpoint_name};

/// A chain, identified by its EIP-155 chain id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    id: u64,
}

impl Chain {
    pub(crate) fn names() -> [&'static str; CHAINS.len()] {
        CHAINS.map(|chain| chain.name)
    }

    pub(crate) const fn new(id: u64) -> Self {
        Self { id }
    }

    pub(crate) const fn id(self) -> u64 {
        self.id
    }

    /// Symbol of the native currency; `native` if unknown.
    pub(crate) fn currency(self) -> &'static str {
        self.profile().currency
    }

    pub(crate) fn profile(self) -> ChainProfile {
        ChainProfile::of(self.id)
    }

    /// Page of a transaction at the block explorer; `None` if no explorer is known.
    pub(crate) fn explorer_url(self, transaction: B256) -> Option<String> {
        let explorer = self.profile().explorer?;
        Some(format!("{explorer}/tx/{transaction}"))
    }

    /// Page of an account at the block explorer; `None` if no explorer is known.
    pub(crate) fn explorer_account(self, address: Address) -> Option<String> {
        let explorer = self.profile().explorer?;
        Some(format!("{explorer}/address/{address}"))
    }

    /// Only the local chain has one.
    pub(crate) fn default_rpc_url(self) -> Option<RpcUrl> {
        let url = self.profile().rpc_url?;
        Some(url.parse().expect("the table has valid URLs"))
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
        let named = ChainProfile::by_name(text).map(|chain| chain.id);
        // Digits only: `u64::from_str` also accepts `+1`.
        let number = || {
            text.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| text.parse().ok())
                .flatten()
        };
        match named.or_else(number) {
            Some(id) if id != 0 => Ok(Self { id }),
            _ => Err(InvalidValue::chain(text)),
        }
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ChainProfile::by_id(self.id) {
            Some(chain) => f.write_str(chain.name),
            None => write!(f, "{}", self.id),
        }
    }
}

/// Value of `--chain`: a name, an id, or an RPC URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChainArg {
    Chain(Chain),
    RpcUrl(RpcUrl),
    /// Not a known chain: an RPC endpoint of `foundry.toml`, or a mistake.
    Endpoint(String),
}

impl FromStr for ChainArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("://") {
            return text.parse().map(Self::RpcUrl);
        }
        match text.parse() {
            Ok(chain) => Ok(Self::Chain(chain)),
            Err(_) if is_endpoint_name(text) => Ok(Self::Endpoint(text.to_owned())),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_an_rpc_url_instead_of_a_chain() {
        let url: ChainArg = "http://127.0.0.1:1".parse().unwrap();
        assert!(matches!(url, ChainArg::RpcUrl(_)));
        let base: ChainArg = "base".parse().unwrap();
        assert_eq!(base, ChainArg::Chain(Chain::new(8453)));
        let other: ChainArg = "optimism".parse().unwrap();
        assert_eq!(other, ChainArg::Endpoint("optimism".to_owned()));
        assert!("0".parse::<ChainArg>().is_err());
        assert!("ftp://node.example".parse::<ChainArg>().is_err());
    }

    #[test]
    fn a_name_and_its_id_are_the_same_chain() {
        for ChainProfile { name, id, .. } in CHAINS {
            let chain: Chain = name.parse().unwrap();
            assert_eq!(chain, id.to_string().parse().unwrap());
            assert_eq!(chain.to_string(), name);
            assert_eq!(chain.caip2(), format!("eip155:{id}"));
        }
    }

    #[test]
    fn links_to_the_block_explorer_of_the_chain() {
        let link = Chain::new(1).explorer_url(B256::repeat_byte(1)).unwrap();
        assert!(link.starts_with("https://etherscan.io/tx/0x0101"), "{link}");
        assert_eq!(Chain::new(31337).explorer_url(B256::ZERO), None);
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
            "`mainet` is not a chain; did you mean `mainnet`? use a chain id, a name in [rpc_endpoints] of foundry.toml, or \
             one of mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil"
        );
    }
}
