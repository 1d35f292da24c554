//! Test servers. Shared with the tests of `atr-cli`.

/// Block explorers with both APIs.
pub(crate) mod explorer;
/// A minimal HTTP server.
pub(crate) mod http;
