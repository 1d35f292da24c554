//! Integration tests of `atr-loopback`.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

use serde_json as _;

/// A TLS client that trusts one authority.
mod client;
mod dns;
mod file_server;
mod servers;
