//! SHA-256 of a card.

use std::{fmt, str::FromStr};

use atr_ids::excerpt;
use sha2::{Digest, Sha256};

use crate::Check;

/// SHA-256 over the bytes of a card as published (T-50). There is no canonical form: a trailing newline changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checksum([u8; 32]);

/// A text that is not a SHA-256 checksum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a SHA-256 checksum: 64 hex digits, optionally after 0x or sha256:")]
pub struct InvalidChecksum {
    found: String,
}

impl Checksum {
    /// Computes the checksum.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Compares a published checksum with that of the bytes. A text that is no checksum is a mismatch: it matches no bytes.
    #[must_use]
    pub fn verify(published: &str, bytes: &[u8]) -> Check {
        let computed = Self::of(bytes);
        match published.parse::<Self>() {
            Ok(published) if published == computed => Check::Match,
            Ok(published) => Check::exact(&published.to_string(), &computed.to_string()),
            Err(_) => Check::exact(published, &computed.to_string()),
        }
    }
}

impl FromStr for Checksum {
    type Err = InvalidChecksum;

    /// Hex digits of either case. The prefixes `0x` and `sha256:` are tolerated (T-50).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = ["sha256:", "0x"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .unwrap_or(text);
        let invalid = || InvalidChecksum {
            found: excerpt(text),
        };
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let pair = &digits[2 * at..2 * at + 2];
            *byte = u8::from_str_radix(pair, 16).map_err(|_| invalid())?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Checksum {
    /// Lower-case hex without a prefix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
