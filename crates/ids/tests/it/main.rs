//! Integration tests of `atr-ids`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// What holds for every text: whatever is read prints and reads to itself, and agrees with the URL parser of others.
mod properties;
/// The published vectors, every row of every group.
mod vectors;
