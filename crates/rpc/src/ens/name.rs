//! ENS names.

use std::{fmt, str::FromStr, sync::LazyLock};

use alloy_primitives::{B256, Bytes, keccak256};
use ens_normalize_rs::EnsNameNormalizer;

/// Longest label that the DNS encoding of a name can represent.
const MAX_LABEL: usize = 255;

/// Reads its tables when the first name outside ASCII is parsed.
static NORMALIZER: LazyLock<EnsNameNormalizer> = LazyLock::new(EnsNameNormalizer::default);

/// An ENS name, normalized as in ENSIP-15.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnsName(String);

/// A text that is not an ENS name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not an ENS name that can be resolved: {reason}")]
#[expect(missing_docs, reason = "plain data")]
pub struct InvalidEnsName {
    pub found: String,
    pub reason: String,
}

impl EnsName {
    /// The normalized name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The node of the name (ENSIP-1).
    #[must_use]
    pub fn hash(&self) -> B256 {
        let labels = self.0.rsplit('.');
        labels.fold(B256::ZERO, |node, label| {
            keccak256([node, keccak256(label)].concat())
        })
    }

    /// The name, then its parents.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        let parent = |name: &Self| {
            name.0
                .split_once('.')
                .map(|(_, rest)| Self(rest.to_owned()))
        };
        std::iter::successors(Some(self.clone()), parent)
    }

    /// The labels in DNS wire format, as ENSIP-10 passes names to resolvers.
    #[must_use]
    pub fn dns_encoding(&self) -> Bytes {
        let mut bytes = Vec::new();
        for label in self.0.split('.') {
            bytes.extend(u8::try_from(label.len()));
            bytes.extend(label.bytes());
        }
        bytes.push(0);
        bytes.into()
    }
}

impl FromStr for EnsName {
    type Err = InvalidEnsName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |reason: String| InvalidEnsName {
            found: atr_ids::excerpt(text),
            reason,
        };
        let name = if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            let normalized = NORMALIZER.normalize(text);
            normalized.map_err(|error| invalid(error.to_string()))?
        };
        if text.is_ascii() && !name.split('.').all(is_label) {
            return Err(invalid(
                "labels have letters, digits, inner hyphens and leading underscores".to_owned(),
            ));
        }
        if name.split('.').any(|label| label.len() > MAX_LABEL) {
            return Err(invalid(format!("labels have at most {MAX_LABEL} bytes")));
        }
        Ok(Self(name))
    }
}

/// The rules of ENSIP-15 for ASCII, without the tables of Unicode.
fn is_label(label: &str) -> bool {
    let rest = label.trim_start_matches('_');
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !label.is_empty() && rest.bytes().all(is_allowed) && label.get(2..4) != Some("--")
}

impl fmt::Display for EnsName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_match_ensip_1() {
        let hash = |name: &str| name.parse::<EnsName>().unwrap().hash().to_string();
        assert_eq!(
            hash("eth"),
            "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"
        );
        assert_eq!(
            hash("foo.eth"),
            "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f"
        );
    }

    #[test]
    fn names_are_normalized_or_rejected() {
        for (text, expected) in [
            ("Ñandú.eth", "ñandú.eth"),
            ("ÖBB.eth", "öbb.eth"),
            ("\u{6e}\u{303}.eth", "ñ.eth"),
            ("1️⃣.eth", "1⃣.eth"),
            ("raffy🚴‍♂️.eth", "raffy🚴‍♂.eth"),
        ] {
            let name: EnsName = text.parse().unwrap();
            assert_eq!(name.to_string(), expected, "{text}");
        }
        for (text, message) in [
            ("vi\u{442}alik.eth", "confusing"),
            ("a\u{202e}b.eth", "disallowed"),
            ("ñ..eth", "empty label"),
            ("a..eth", "labels have"),
            (".eth", "labels have"),
            ("xn--a.eth", "labels have"),
            ("a_b.eth", "labels have"),
            ("a b.eth", "labels have"),
        ] {
            let error = text.parse::<EnsName>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        let long = format!("{}.eth", "a".repeat(256));
        let error = long.parse::<EnsName>().unwrap_err().to_string();
        assert!(error.contains("at most 255 bytes"), "{error}");
    }

    #[test]
    fn parents_and_dns_encoding_follow_ensip_10() {
        let name: EnsName = "a.bc.eth".parse().unwrap();
        let ancestors: Vec<_> = name.ancestors().map(|name| name.to_string()).collect();
        assert_eq!(ancestors, ["a.bc.eth", "bc.eth", "eth"]);
        assert_eq!(name.dns_encoding().as_ref(), b"\x01a\x02bc\x03eth\x00");
    }
}
