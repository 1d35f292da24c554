//! Integration tests of `atr-registry` against anvil. They need `make deps`.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// A chain with our registry, and helpers to deploy contracts.
mod chain;
/// A transport with programmable failures.
mod transport;

/// Access checks.
mod access;
/// Reading and setting the configuration of predicates.
mod configuration;
/// Events of a registry.
mod events;
/// Gates, from the expression to the calls.
mod gate;
/// Information about registries and predicates as contracts.
mod info;
/// Requirements of predicates.
mod introspection;
/// Many tools in few requests.
mod multicall;
/// Iteration over tools.
mod pages;
/// Reads of single tools.
mod reads;
/// Stipends of predicates, and gas measured on the chain.
mod stipends;
/// Planning and sending transactions.
mod transactions;
