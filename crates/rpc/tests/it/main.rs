//! Integration tests of `atr-rpc` against anvil, through a proxy with faults. They need `make deps`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Retries, fallback, headers and timeouts.
mod connection;
/// The maximum cost of a run.
mod cost;
/// A chain, a proxy and a sender.
mod fixture;
/// Transactions of the account that were signed elsewhere.
mod foreign;
/// Nodes that lag behind others.
mod lagging;
/// Log streams across reorgs, lagging nodes and limits.
mod logs;
/// The journal, and transactions of earlier runs.
mod resuming;
/// Replacements, rejections and goals.
mod sending;
