//! Integration tests of `atr-indexer` against anvil, HTTPS servers on loopback and both databases. They need `make deps`, and
//! PostgreSQL from Debian's package.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// A chain, a registry and a database.
mod world;

/// What goes wrong: each test ends with a complete and correct index.
mod drills;
/// Verification and evaluation of tools.
mod verification;
