//! The table of chains: x402 names, chain ids and USDC.

use std::{fmt, num::NonZeroU64};

use alloy_primitives::{Address, address};
use atr_ids::ChainId;

/// A chain with an x402 v1 name, or with a USDC deployment that has EIP-3009.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownChain {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Name in x402 v1. Clients fail on a name that they do not know, so there is none for chains that x402 v1 does not list.
    pub v1_name: Option<&'static str>,
    /// USDC of this chain.
    pub usdc: Option<KnownToken>,
}

/// A token of the table. All of them have the EIP-712 version `2`, six decimals and the symbol `USDC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownToken {
    /// Contract address, also the verifying contract of the EIP-712 domain.
    pub address: Address,
    /// Name of the EIP-712 domain. It differs between deployments (T-45).
    pub domain_name: &'static str,
}

/// All known chains. Other EVM chains can be used with x402 v2 and configured tokens.
pub const CHAINS: &[KnownChain] = &[
    chain(
        1,
        None,
        "USD Coin",
        address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
    ),
    chain(
        10,
        None,
        "USD Coin",
        address!("0b2c639c533813f4aa9d7837caf62653d097ff85"),
    ),
    chain(
        137,
        Some("polygon"),
        "USD Coin",
        address!("3c499c542cef5e3811e1192ce70d8cc03d5c3359"),
    ),
    chain(
        143,
        None,
        "USDC",
        address!("754704bc059f8c67012fed69bc8a327a5aafb603"),
    ),
    name_only(1328, "sei-testnet"),
    name_only(1329, "sei"),
    name_only(1514, "story"),
    name_only(2741, "abstract"),
    name_only(3338, "peaq"),
    name_only(4689, "iotex"),
    chain(
        8453,
        Some("base"),
        "USD Coin",
        address!("833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
    ),
    name_only(11124, "abstract-testnet"),
    name_only(41923, "educhain"),
    chain(
        42161,
        None,
        "USD Coin",
        address!("af88d065e77c8cc2239327c5edb3a432268e5831"),
    ),
    name_only(43113, "avalanche-fuji"),
    chain(
        43114,
        Some("avalanche"),
        "USD Coin",
        address!("b97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"),
    ),
    name_only(80002, "polygon-amoy"),
    chain(
        84532,
        Some("base-sepolia"),
        "USDC",
        address!("036cbd53842c5426634e7929541ec2318f3dcf7e"),
    ),
    name_only(324_705_682, "skale-base-sepolia"),
];

const fn chain(
    chain_id: u64,
    v1_name: Option<&'static str>,
    domain_name: &'static str,
    address: Address,
) -> KnownChain {
    KnownChain {
        chain_id,
        v1_name,
        usdc: Some(KnownToken {
            address,
            domain_name,
        }),
    }
}

const fn name_only(chain_id: u64, v1_name: &'static str) -> KnownChain {
    KnownChain {
        chain_id,
        v1_name: Some(v1_name),
        usdc: None,
    }
}

/// An EVM chain. Printed in CAIP-2 form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(NonZeroU64);

impl Network {
    /// The chain with this EIP-155 id. There is no chain 0.
    #[must_use]
    pub const fn from_chain_id(chain_id: u64) -> Option<Self> {
        match NonZeroU64::new(chain_id) {
            Some(chain_id) => Some(Self(chain_id)),
            None => None,
        }
    }

    /// The chain with this x402 v1 name. CAIP-2 ids are not accepted: they belong to x402 v2 (T-44).
    #[must_use]
    pub fn from_v1_name(name: &str) -> Option<Self> {
        let known = CHAINS.iter().find(|chain| chain.v1_name == Some(name))?;
        Self::from_chain_id(known.chain_id)
    }

    /// The chain with this CAIP-2 id, such as `eip155:8453`.
    #[must_use]
    pub fn from_caip2(text: &str) -> Option<Self> {
        let chain: ChainId = text.parse().ok()?;
        if chain.namespace() != "eip155" {
            return None;
        }
        Self::from_chain_id(chain.reference().parse().ok()?)
    }

    /// EIP-155 chain id.
    #[must_use]
    pub const fn chain_id(self) -> u64 {
        self.0.get()
    }

    /// The row of this chain in the table.
    #[must_use]
    pub fn known(self) -> Option<&'static KnownChain> {
        CHAINS
            .iter()
            .find(|chain| chain.chain_id == self.chain_id())
    }

    /// Name in x402 v1.
    #[must_use]
    pub fn v1_name(self) -> Option<&'static str> {
        self.known()?.v1_name
    }

    /// CAIP-2 id.
    #[must_use]
    pub fn caip2(self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eip155:{}", self.0)
    }
}
