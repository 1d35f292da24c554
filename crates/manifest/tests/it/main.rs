//! Integration tests of `atr-manifest`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// Files of `tests/vectors`, and what the rules say of a document.
mod support;

/// Ways to break a manifest, one member at a time, and the one violation each must yield.
mod breaks;
/// Our canonical form and that of others, on random documents.
mod differential;
/// What holds for every document: canonical forms, hashes, reading.
mod properties;
/// Readings of the rules that are not about refusing: warnings, roles, shadows, report limits.
mod readings;
/// The published vectors, every row of every group.
mod vectors;
/// What a valid manifest says.
mod view;
/// What a violation says: what stands there, what may, and how to put it right.
mod words;
