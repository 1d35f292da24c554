//! Integration tests of `atr-fetch`, against servers on loopback that misbehave on purpose.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

mod http_client;
mod safe_http_client;
/// A server that responds to every request with fixed bytes.
mod server;
