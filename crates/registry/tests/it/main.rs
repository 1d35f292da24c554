//! Integration tests of `atr-registry`: real chains on loopback. They need what `make deps` installs.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// Who may use a tool.
mod access;
/// Many tools in few requests.
mod batch;
/// A chain with our registry on it, and contracts of every manner.
mod chain;
/// What registries and predicates are, as contracts.
mod diagnosis;
/// What a registry has told.
mod events;
/// What predicates say it takes.
mod introspection;
/// A line to a node that can be told to misbehave.
mod line;
/// Tools, a page at a time.
mod pages;
/// Tools, one by one.
mod reads;
/// Changing something, and being refused.
mod writes;
