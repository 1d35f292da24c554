//! Signs that code at an address is not what answers there.

use alloy_primitives::{Address, B256, b256};

use crate::{Error, Node};

/// The slots where proxies keep what they stand for: EIP-1967 (`keccak256("eip1967.proxy.…") - 1`) and EIP-1822
/// (`keccak256("PROXIABLE")`).
pub(crate) const PROXY_SLOTS: [(&str, B256); 4] = [
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
const DELEGATED_ACCOUNT: &[u8] = &[0xef, 0x01, 0x00];

/// What of a proxy was found, in words; none is what one hopes for.
pub(crate) async fn signs(
    node: &Node,
    address: Address,
    code: &[u8],
) -> Result<Vec<String>, Error> {
    let mut signs = Vec::new();
    if code.starts_with(MINIMAL_PROXY) {
        signs.push("its code is a minimal proxy (EIP-1167)".to_owned());
    }
    if code.starts_with(DELEGATED_ACCOUNT) {
        signs.push("it is an account with lent code (EIP-7702)".to_owned());
    }
    for (name, slot) in PROXY_SLOTS {
        let word = node.storage(address, slot).await?;
        if !word.is_zero() {
            signs.push(format!("slot {name} holds {word}"));
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
