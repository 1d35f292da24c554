//! Integration tests of `atr-deploy` against anvil. They need `make deps`. `atr-cli` tests whole deployments.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// The Foundry script deploys to the same addresses.
mod script;
/// Test servers: a faulty node and block explorers.
#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the tests of atr-cli, which use the rest"
)]
mod support;
/// Pending, underpriced and replaced transactions.
mod transactions;
