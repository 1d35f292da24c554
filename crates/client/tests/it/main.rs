//! Integration tests of `atr-client` against anvil and HTTPS servers on loopback. They need `make deps`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// A registered tool and its server.
mod fixture;

/// The requests of a call, and the checks before a signature.
mod calls;
/// Payments after lost answers.
mod retries;
