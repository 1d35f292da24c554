//! Signs that code at an address is not what answers there.

use std::fmt;

use alloy::{eips::BlockId, network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, B256, b256};
use serde::Serialize;

use crate::{Error, view::View};

/// The slots where proxies keep what they stand for: EIP-1967 (`keccak256("eip1967.proxy.…") - 1`) and EIP-1822
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

/// Beginning of the code of a minimal proxy (EIP-1167), and of an account that has lent itself code (EIP-7702).
const MINIMAL_PROXY: &[u8] = &[0x36, 0x3d, 0x3d, 0x37, 0x3d, 0x3d, 0x3d, 0x36, 0x3d, 0x73];
pub(crate) const DELEGATED_ACCOUNT: &[u8] = &[0xef, 0x01, 0x00];

/// One sign of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "sign", rename_all = "kebab-case")]
pub enum ProxyIndicator {
    /// Its code is a minimal proxy (EIP-1167).
    MinimalProxy,
    /// It is an account with lent code (EIP-7702).
    LentCode,
    /// A slot that proxies use is in use.
    Slot {
        /// The standard and the slot.
        name: &'static str,
        /// What it holds.
        value: B256,
    },
}

impl fmt::Display for ProxyIndicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinimalProxy => f.write_str("its code is a minimal proxy (EIP-1167)"),
            Self::LentCode => f.write_str("it is an account with lent code (EIP-7702)"),
            Self::Slot { name, value } => write!(f, "slot {name} holds {value}"),
        }
    }
}

/// What of a proxy is seen at an address with this code; nothing is what one hopes for.
///
/// # Errors
///
/// When the node does not answer.
pub async fn proxy_indicators(
    provider: &DynProvider<Ethereum>,
    address: Address,
    code: &[u8],
) -> Result<Vec<ProxyIndicator>, Error> {
    let block = BlockId::latest();
    signs(View { provider, block }, address, code).await
}

pub(crate) async fn signs(
    view: View<'_>,
    address: Address,
    code: &[u8],
) -> Result<Vec<ProxyIndicator>, Error> {
    let of_code = [
        (MINIMAL_PROXY, ProxyIndicator::MinimalProxy),
        (DELEGATED_ACCOUNT, ProxyIndicator::LentCode),
    ];
    let of_code = of_code
        .into_iter()
        .filter(|(start, _)| code.starts_with(start));
    let mut signs: Vec<_> = of_code.map(|(_, sign)| sign).collect();
    let [implementation, beacon, admin, logic] =
        PROXY_SLOTS.map(|(_, slot)| view.storage(address, slot));
    let words = tokio::try_join!(implementation, beacon, admin, logic)?;
    let words: [B256; 4] = words.into();
    for ((name, _), value) in PROXY_SLOTS.into_iter().zip(words) {
        if !value.is_zero() {
            signs.push(ProxyIndicator::Slot { name, value });
        }
    }
    Ok(signs)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{U256, keccak256};

    use super::*;

    #[test]
    fn the_slots_are_those_the_standards_derive() {
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
