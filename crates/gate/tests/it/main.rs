//! Integration tests of `atr-gate` against anvil and HTTP servers on loopback. They need `make deps`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// Clients and their requests.
mod caller;
/// An anvil chain with a registry, and helpers to deploy contracts.
mod chain;
/// A facilitator that settles on a chain and misbehaves on demand.
mod facilitator;
/// A service behind the gate.
mod handler;
/// Receives usage reports.
mod sink;

/// Access checks, exact per block.
mod access;
/// Gates that are killed between two steps.
#[cfg(feature = "sqlite")]
mod crash;
/// Identity gates.
mod identity;
/// What the gate logs.
mod logs;
/// MCP servers.
mod mcp;
/// Paid gates.
mod payment;
/// Reverse proxy and server.
#[cfg(feature = "proxy")]
mod proxy;
/// Usage reports.
mod usage;
