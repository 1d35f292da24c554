//! Integration tests of `atr-bindings`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Generated bindings compared with the committed artifacts.
mod artifacts;
/// Selectors, topics and ids compared with the published test vectors.
mod vectors;
