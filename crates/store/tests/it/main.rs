//! Integration tests of `atr-store`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// The index.
mod index;
/// Records of payments.
mod replay;
