//! CAIP-19 asset ids.

use std::{fmt, str::FromStr};

use crate::{
    Error,
    account_id::is_reference,
    chain_id, excerpt,
    hex_text::{check_address, check_hex_case},
};

const MAX_REFERENCE: usize = 128;
const MAX_TOKEN_ID: usize = 78;

/// EVM asset namespaces whose reference is a contract address.
const CONTRACT_NAMESPACES: [&str; 3] = ["erc20", "erc721", "erc1155"];

/// An asset on a chain, such as `eip155:8453/erc20:0xabc…`, with or without a token id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId {
    text: String,
    chain_end: usize,
    namespace_end: usize,
    reference_end: usize,
}

impl AssetId {
    /// The CAIP-2 chain id: the text before the first slash.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.text[..self.chain_end]
    }

    /// The asset namespace, such as `erc20`.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.text[self.chain_end + 1..self.namespace_end]
    }

    /// The asset reference, such as a contract address.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.text[self.namespace_end + 1..self.reference_end]
    }

    /// The token id of an NFT.
    #[must_use]
    pub fn token_id(&self) -> Option<&str> {
        self.text.get(self.reference_end + 1..)
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for AssetId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || Error::Asset {
            found: excerpt(text),
        };
        let (chain, rest) = text.split_once('/').ok_or_else(invalid)?;
        let chain_namespace_end = chain_id::check(chain).map_err(|_| invalid())?;
        let (namespace, rest) = rest.split_once(':').ok_or_else(invalid)?;
        let (reference, token_id) = match rest.split_once('/') {
            Some((reference, token_id)) => (reference, Some(token_id)),
            None => (rest, None),
        };
        let is_asset = chain_id::is_namespace(namespace)
            && is_reference(reference, MAX_REFERENCE)
            && token_id.is_none_or(|token_id| is_reference(token_id, MAX_TOKEN_ID));
        if !is_asset {
            return Err(invalid());
        }
        let is_evm = &chain[..chain_namespace_end] == chain_id::EIP155;
        if is_evm && (reference.starts_with("0x") || CONTRACT_NAMESPACES.contains(&namespace)) {
            check_address(reference)?;
        } else {
            check_hex_case(reference)?;
        }
        token_id.map_or(Ok(()), check_hex_case)?;
        let namespace_end = chain.len() + 1 + namespace.len();
        Ok(Self {
            text: text.to_owned(),
            chain_end: chain.len(),
            namespace_end,
            reference_end: namespace_end + 1 + reference.len(),
        })
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_an_asset_into_its_parts() {
        let asset: AssetId = "eip155:1/erc721:0x06012c8cf97bead5deae237070f9587f8e7a266d/771769"
            .parse()
            .unwrap();
        assert_eq!(asset.chain(), "eip155:1");
        assert_eq!(asset.namespace(), "erc721");
        assert_eq!(
            asset.reference(),
            "0x06012c8cf97bead5deae237070f9587f8e7a266d"
        );
        assert_eq!(asset.token_id(), Some("771769"));
        let native: AssetId = "eip155:1/slip44:60".parse().unwrap();
        assert_eq!((native.reference(), native.token_id()), ("60", None));
    }

    #[test]
    fn rejects_invalid_assets_and_upper_case_addresses() {
        for text in [
            "",
            "eip155:1",
            "eip155:1/",
            "eip155:1/slip44",
            "eip155:1/slip44:",
            "eip155:1/slip44:60/",
            "eip155:1/SLIP44:60",
            "base/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            "eip155:1/erc20:0x8335",
            "eip155:1/erc20:usdc",
            "eip155:1/erc20:0x833589FCD6edb6e08f4c7c32d4f71b54bda02913",
            "eip155:1/erc721:0x06012C8cf97bead5deae237070f9587f8e7a266d/771769",
            "starknet:SN_MAIN/erc721:0x0601/0xAB",
        ] {
            assert!(text.parse::<AssetId>().is_err(), "{text}");
        }
    }
}
