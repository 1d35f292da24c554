//! Integration tests of `atr-deploy`: real chains on loopback. They need what `make deps` installs. The whole way, through the
//! binary, is tested in `atr-cli`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// The Foundry script and this crate lead to the same addresses.
mod script;
/// Transactions that are stuck, underpriced, or lose their nonce to another.
mod stuck;
/// A bad line to a chain, and explorers.
#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the tests of the binary, which use the rest"
)]
mod support;
