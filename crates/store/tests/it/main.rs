//! Integration tests of `atr-store`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Records of payments.
mod replay;
