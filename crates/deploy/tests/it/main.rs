//! Integration tests of `atr-deploy` against anvil. They need `make deps`. `atr-cli` tests whole deployments.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Transactions in the journal of version 0.1.
mod old_journal;
/// The Foundry script deploys to the same addresses.
mod script;
