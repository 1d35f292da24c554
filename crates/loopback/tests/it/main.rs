//! Integration tests of `atr-loopback`: the servers other tests rely on do what their names say.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

use serde_json as _;

/// A TLS client that trusts one authority.
mod client;
/// The binary that serves a folder.
mod files;
/// Names and their scripts.
mod names;
/// Servers that behave and servers that do not.
mod servers;
