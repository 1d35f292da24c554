//! Integration tests of `atr-store`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// A PostgreSQL server.
#[cfg(feature = "postgres")]
mod postgres;
/// Records of payments.
mod replay;
