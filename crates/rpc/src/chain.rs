//! Known chains: the one table of facts about them.

use std::time::Duration;

use alloy_primitives::Address;

use crate::ens::ENS_REGISTRY;

/// How a chain prices and charges transactions, and where its services are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ChainProfile {
    pub name: &'static str,
    /// EIP-155 chain id.
    pub id: u64,
    /// Symbol of the native currency.
    pub currency: &'static str,
    pub transaction_type: TransactionType,
    pub gas_charge: GasCharge,
    pub data_fee: DataFeeKind,
    /// Usual time between blocks. Zero: blocks are produced on demand, so the age of the latest one says nothing.
    pub block_time: Duration,
    /// Only the local chain has a default: for all others the user chooses the node to trust.
    pub rpc_url: Option<&'static str>,
    /// Website of a block explorer.
    pub explorer: Option<&'static str>,
    /// API that verifies sources, besides Sourcify.
    pub verifier: Option<Verifier>,
    /// Whether the chain has the CREATE2 factory at its usual address, with the usual CREATE2 rules.
    pub has_factory: bool,
    /// Registry of the Ethereum Name Service.
    pub ens_registry: Option<Address>,
}

/// Transaction format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionType {
    /// EIP-1559. On a chain whose blocks have no base fee, legacy transactions are sent.
    Eip1559,
    /// Only transactions with a gas price.
    Legacy,
}

/// The gas that a sender pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GasCharge {
    /// The gas used.
    Used,
    /// The gas limit, whether used or not.
    Limit,
}

/// The fee for publishing transaction data to another chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFeeKind {
    /// None, or part of the gas price.
    None,
    /// Charged in addition to gas, outside the max fee of a transaction.
    OpStack,
    /// Charged as additional gas, which `eth_estimateGas` includes.
    Nitro,
    /// Not known: detected by the predeployed contracts.
    Detect,
}

/// API of a block explorer that verifies sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verifier {
    /// Etherscan API version 2, one URL for all chains; needs a key.
    Etherscan,
    /// Blockscout, with the URL of its API; needs no key.
    Blockscout(&'static str),
}

const LOCAL: ChainProfile = ChainProfile {
    name: "anvil",
    id: 31337,
    currency: "ETH",
    transaction_type: TransactionType::Eip1559,
    gas_charge: GasCharge::Used,
    // Anvil can fork any chain.
    data_fee: DataFeeKind::Detect,
    block_time: Duration::ZERO,
    rpc_url: Some("http://127.0.0.1:8545"),
    explorer: None,
    verifier: None,
    has_factory: true,
    ens_registry: None,
};

const fn public(
    name: &'static str,
    id: u64,
    block_time: Duration,
    explorer: &'static str,
) -> ChainProfile {
    ChainProfile {
        name,
        id,
        block_time,
        rpc_url: None,
        explorer: Some(explorer),
        verifier: Some(Verifier::Etherscan),
        data_fee: DataFeeKind::None,
        ..LOCAL
    }
}

/// Chains with a public ERC-8257 registry, and the local chain for testing.
pub const CHAINS: [ChainProfile; 8] = [
    ChainProfile {
        ens_registry: Some(ENS_REGISTRY),
        ..public(
            "mainnet",
            1,
            Duration::from_secs(12),
            "https://etherscan.io",
        )
    },
    ChainProfile {
        data_fee: DataFeeKind::OpStack,
        ..public("base", 8453, Duration::from_secs(2), "https://basescan.org")
    },
    ChainProfile {
        data_fee: DataFeeKind::OpStack,
        ..public(
            "base-sepolia",
            84532,
            Duration::from_secs(2),
            "https://sepolia.basescan.org",
        )
    },
    ChainProfile {
        data_fee: DataFeeKind::OpStack,
        verifier: Some(Verifier::Blockscout("https://shapescan.xyz/api")),
        ..public(
            "shape",
            360,
            Duration::from_secs(2),
            "https://shapescan.xyz",
        )
    },
    // ZK Stack: CREATE2 addresses follow other rules.
    ChainProfile {
        has_factory: false,
        ..public(
            "abstract",
            2741,
            Duration::from_secs(1),
            "https://abscan.org",
        )
    },
    ChainProfile {
        currency: "MON",
        gas_charge: GasCharge::Limit,
        ..public(
            "monad",
            143,
            Duration::from_millis(400),
            "https://monadscan.com",
        )
    },
    ChainProfile {
        data_fee: DataFeeKind::Nitro,
        verifier: Some(Verifier::Blockscout(
            "https://robinhoodchain.blockscout.com/api",
        )),
        ..public(
            "robinhood",
            4663,
            Duration::from_millis(250),
            "https://robinhoodchain.blockscout.com",
        )
    },
    LOCAL,
];

impl ChainProfile {
    /// The profile of a known chain.
    #[must_use]
    pub fn by_id(id: u64) -> Option<&'static Self> {
        CHAINS.iter().find(|chain| chain.id == id)
    }

    /// The profile of a known chain.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        CHAINS.iter().find(|chain| chain.name == name)
    }

    /// The profile of any chain; an unknown one is detected where possible.
    #[must_use]
    pub fn of(id: u64) -> Self {
        Self::by_id(id).copied().unwrap_or(Self {
            name: "",
            id,
            currency: "native",
            rpc_url: None,
            data_fee: DataFeeKind::Detect,
            block_time: Duration::from_secs(12),
            ..LOCAL
        })
    }

    /// The gas that is charged if this much of the limit is used.
    #[must_use]
    pub const fn charged_gas(&self, used: u64, limit: u64) -> u64 {
        match self.gas_charge {
            GasCharge::Used => used,
            GasCharge::Limit => limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_unique() {
        for chain in &CHAINS {
            assert_eq!(ChainProfile::by_id(chain.id), Some(chain));
            assert_eq!(ChainProfile::by_name(chain.name), Some(chain));
        }
    }

    #[test]
    fn monad_charges_the_gas_limit() {
        let charged = |id| ChainProfile::of(id).charged_gas(100, 115);
        assert_eq!((charged(143), charged(8453), charged(7)), (115, 100, 100));
    }

    #[test]
    fn only_the_local_chain_has_a_default_rpc_url() {
        for chain in &CHAINS {
            assert_eq!(chain.rpc_url.is_some(), chain.name == "anvil");
        }
    }
}
