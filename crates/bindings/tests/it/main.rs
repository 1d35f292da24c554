//! Integration tests of `atr-bindings`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// The interfaces bound by this crate, to hold against files.
mod interface;

/// Every committed artifact is bound, with the bytes of its file.
mod artifacts;
/// Selectors, topics and ids equal the published vectors.
mod vectors;
