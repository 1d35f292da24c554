//! A local chain, a bad line to it, and explorers, all on loopback. Shared with the tests of the binary.

/// A local chain that ends with the test.
pub(crate) mod anvil;
/// Explorers that speak both APIs.
pub(crate) mod explorer;
/// The least of HTTP.
pub(crate) mod http;
/// A node behind a bad line.
pub(crate) mod proxy;
