//! A bad line to a chain, and explorers, all on loopback. Shared with the tests of the binary.

/// Explorers that speak both APIs.
pub(crate) mod explorer;
/// The least of HTTP.
pub(crate) mod http;
/// A node behind a bad line.
pub(crate) mod proxy;
