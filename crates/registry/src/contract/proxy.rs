//! Proxy detection.

use std::fmt;

use alloy::{network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, B256, b256};
use serde::Serialize;

use crate::Error;
use atr_rpc::BlockView;

/// Storage slots of proxies: EIP-1967 (`keccak256("eip1967.proxy.…") - 1`) and EIP-1822
/// (`keccak256("PROXIABLE")`).
const PROXY_SLOTS: [(&str, B256); 4] = [
    (
        "EIP-1967 implementation",
        b256!("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    ),
    (
        "EIP-1967 beacon",
        b256!("0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
    ),
    (
        "EIP-1967 admin",
        b256!("0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"),
    ),
    (
        "EIP-1822 logic",
        b256!("0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"),
    ),
];

/// Code prefixes of a minimal proxy (EIP-1167) and of an EOA with delegated code (EIP-7702).
const MINIMAL_PROXY: &[u8] = &[0x36, 0x3d, 0x3d, 0x37, 0x3d, 0x3d, 0x3d, 0x36, 0x3d, 0x73];
const DELEGATED_EOA: &[u8] = &[0xef, 0x01, 0x00];

/// A sign that calls to a contract are executed by other code, which can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "indicator", rename_all = "kebab-case")]
pub enum ProxyIndicator {
    /// The code is a minimal proxy (EIP-1167).
    MinimalProxy,
    /// The address is an EOA with delegated code (EIP-7702).
    DelegatedEoa,
    /// A storage slot of a proxy standard is not zero.
    StorageSlot {
        /// The standard and the slot.
        name: &'static str,
        /// Value of the slot.
        value: B256,
    },
}

impl fmt::Display for ProxyIndicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinimalProxy => f.write_str("minimal proxy (EIP-1167)"),
            Self::DelegatedEoa => f.write_str("EOA with delegated code (EIP-7702)"),
            Self::StorageSlot { name, value } => write!(f, "{name} slot is {value}"),
        }
    }
}

/// Signs of a proxy at an address with this code, at the latest block.
///
/// # Errors
///
/// When an RPC request fails.
pub async fn proxy_indicators(
    provider: &DynProvider<Ethereum>,
    address: Address,
    code: &[u8],
) -> Result<Vec<ProxyIndicator>, Error> {
    proxy_indicators_at(BlockView::latest(provider), address, code).await
}

/// Whether the code is a delegation of an EOA (EIP-7702).
pub(crate) fn is_delegated_eoa(code: &[u8]) -> bool {
    code.starts_with(DELEGATED_EOA)
}

pub(crate) async fn proxy_indicators_at(
    view: BlockView<'_>,
    address: Address,
    code: &[u8],
) -> Result<Vec<ProxyIndicator>, Error> {
    let prefixes = [
        (MINIMAL_PROXY, ProxyIndicator::MinimalProxy),
        (DELEGATED_EOA, ProxyIndicator::DelegatedEoa),
    ];
    let matching = prefixes
        .into_iter()
        .filter(|(prefix, _)| code.starts_with(prefix));
    let mut indicators: Vec<_> = matching.map(|(_, indicator)| indicator).collect();
    let [implementation, beacon, admin, logic] =
        PROXY_SLOTS.map(|(_, slot)| view.storage(address, slot));
    let values = tokio::try_join!(implementation, beacon, admin, logic)?;
    let values: [B256; 4] = values.into();
    for ((name, _), value) in PROXY_SLOTS.into_iter().zip(values) {
        if !value.is_zero() {
            indicators.push(ProxyIndicator::StorageSlot { name, value });
        }
    }
    Ok(indicators)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{U256, keccak256};

    use super::*;

    #[test]
    fn the_slots_follow_the_derivation_of_the_standards() {
        let minus_one = |text: &str| B256::from(U256::from_be_bytes(keccak256(text).0) - U256::ONE);
        let derived = [
            minus_one("eip1967.proxy.implementation"),
            minus_one("eip1967.proxy.beacon"),
            minus_one("eip1967.proxy.admin"),
            keccak256("PROXIABLE"),
        ];
        assert_eq!(PROXY_SLOTS.map(|(_, slot)| slot), derived);
    }
}
