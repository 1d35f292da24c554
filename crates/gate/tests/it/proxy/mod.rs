//! Proxy and server over loopback, with real clients and upstream servers.

/// Servers and clients for the tests.
mod support;

mod documents;
mod failures;
mod headers;
mod http2;
mod raw_requests;
mod shutdown;
mod streaming;
mod websocket;
