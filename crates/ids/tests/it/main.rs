//! Integration tests of `atr-ids`.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

/// Properties of random text: parsing and printing round-trips, and hosts agree with the `url` crate.
mod properties;
/// Conformance vectors of `tests/vectors`.
mod vectors;
