//! CAIP-2 chain ids.

use std::{fmt, num::NonZeroU64, str::FromStr};

use crate::{Error, excerpt};

const MAX_NAMESPACE: usize = 8;
const MIN_NAMESPACE: usize = 3;
const MAX_REFERENCE: usize = 32;

/// A chain id, such as `eip155:8453`. Compared as text, never as a number (T-26).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId {
    text: String,
    namespace_end: usize,
}

impl ChainId {
    /// Creates the id of an EVM chain.
    #[must_use]
    pub fn eip155(chain: NonZeroU64) -> Self {
        Self {
            text: format!("{EIP155}:{chain}"),
            namespace_end: EIP155.len(),
        }
    }

    /// The part before the colon.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.text[..self.namespace_end]
    }

    /// The part after the colon.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.text[self.namespace_end + 1..]
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The namespace of EVM chains.
pub(crate) const EIP155: &str = "eip155";

/// Validates a chain id and returns the byte offset of the colon.
pub(crate) fn check(text: &str) -> Result<usize, Error> {
    let invalid = || Error::Chain {
        found: excerpt(text),
    };
    let (namespace, reference) = text.split_once(':').ok_or_else(invalid)?;
    let is_reference = (1..=MAX_REFERENCE).contains(&reference.len())
        && reference
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    // No leading zeros on EVM chains: two texts must not name one chain (T-26).
    let is_canonical = namespace != EIP155
        || (!reference.starts_with('0') && reference.bytes().all(|byte| byte.is_ascii_digit()));
    if is_namespace(namespace) && is_reference && is_canonical {
        Ok(namespace.len())
    } else {
        Err(invalid())
    }
}

/// The namespace grammar that CAIP-2 and CAIP-19 share.
pub(crate) fn is_namespace(text: &str) -> bool {
    (MIN_NAMESPACE..=MAX_NAMESPACE).contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

impl FromStr for ChainId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self {
            namespace_end: check(text)?,
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evm_chain_id_equals_its_parsed_text() {
        let base = ChainId::eip155(NonZeroU64::new(8453).unwrap());
        assert_eq!("eip155:8453".parse(), Ok(base));
    }

    #[test]
    fn accepts_lengths_at_the_limit_and_rejects_one_more() {
        for text in [
            "eip155:1",
            "abc:a",
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
            "starknet:SN_MAIN",
            "abcdefgh:-",
        ] {
            let chain: ChainId = text.parse().unwrap();
            assert_eq!(format!("{}:{}", chain.namespace(), chain.reference()), text);
        }
        let long = format!("abc:{}", "a".repeat(33));
        for text in [
            "",
            ":",
            "ab:a",
            "abcdefghi:a",
            "ABC:a",
            "abc:",
            &long,
            "abc:a:b",
            "abc:a b",
            "abc",
            "eip155:08453",
            "eip155:0",
            "eip155:1a",
        ] {
            assert!(text.parse::<ChainId>().is_err(), "{text}");
        }
    }
}
