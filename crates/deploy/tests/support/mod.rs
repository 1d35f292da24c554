//! Test servers. Shared with the tests of `atr-cli`.

/// Block explorers with both APIs.
pub(crate) mod explorer;
/// A minimal HTTP server.
pub(crate) mod http;
/// A proxy in front of a node, with programmable failures.
pub(crate) mod proxy;
