//! Random call sequences on a chain in memory, held against the plain Rust model of `atr-harness`.
//!
//! Same list, same order as `contracts/test/invariant/README.md`, then the properties that have a name of their own.

mod predicates;
mod property;
mod registry;
