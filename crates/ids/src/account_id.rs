//! CAIP-10 account ids.

use std::{fmt, str::FromStr};

use crate::{
    Error, chain_id, excerpt,
    hex_text::{check_address, check_hex_case},
};

const MAX_ADDRESS: usize = 128;

/// An account on a chain, such as `eip155:8453:0xabc…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId {
    text: String,
    chain_end: usize,
}

impl AccountId {
    /// The CAIP-2 chain id: the text before the last colon.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.text[..self.chain_end]
    }

    /// The account address, in the format of its chain.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.text[self.chain_end + 1..]
    }

    /// Whether the address is `0x` followed by zeros only, in any namespace.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.address()
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|byte| byte == b'0'))
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for AccountId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || Error::Account {
            found: excerpt(text),
        };
        let (chain, address) = text.rsplit_once(':').ok_or_else(invalid)?;
        let namespace_end = chain_id::check(chain).map_err(|_| invalid())?;
        if !is_reference(address, MAX_ADDRESS) {
            return Err(invalid());
        }
        if &chain[..namespace_end] == chain_id::EIP155 {
            check_address(address)?;
        } else {
            check_hex_case(address)?;
        }
        Ok(Self {
            text: text.to_owned(),
            chain_end: chain.len(),
        })
    }
}

/// The character set that CAIP-10 addresses, CAIP-19 asset references and CAIP-19 token ids share.
pub(crate) fn is_reference(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.len())
        && text.bytes().fold(true, |all, byte| {
            all & (byte.is_ascii_alphanumeric() | matches!(byte, b'-' | b'.' | b'%'))
        })
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_the_text_before_the_last_colon() {
        let account: AccountId = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01"
            .parse()
            .unwrap();
        assert_eq!(account.chain(), "eip155:8453");
        assert_eq!(
            account.address(),
            "0xabcdef0123456789abcdef0123456789abcdef01"
        );
        assert!(!account.is_zero());
    }

    #[test]
    fn zero_addresses_are_detected_in_every_namespace() {
        let zero: AccountId = "starknet:SN_MAIN:0x0".parse().unwrap();
        assert!(zero.is_zero());
        let solana: AccountId =
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"
                .parse()
                .unwrap();
        assert!(!solana.is_zero());
    }

    #[test]
    fn rejects_evm_accounts_that_are_not_lower_case_addresses() {
        for text in [
            "eip155:8453:0xABCDEF0123456789abcdef0123456789abcdef01",
            "eip155:8453:0xabcdef",
            "eip155:8453:vitalik.eth",
            "eip155:8453:",
            "eip155:8453",
            "0xabcdef0123456789abcdef0123456789abcdef01",
        ] {
            assert!(text.parse::<AccountId>().is_err(), "{text}");
        }
    }
}
