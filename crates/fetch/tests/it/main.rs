//! Integration tests of `atr-fetch`: real clients against servers on loopback that misbehave on purpose.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// What the stranger's door lets through and what it refuses.
mod guarded;
/// What the operator's door lets through and what it refuses.
mod operator;
/// A server that answers every connection with the bytes it was given.
mod server;
