//! Integration tests of `atr-auth`.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

/// Callers that sign, gates that offer, headers.
mod support;

/// Challenges that a gate writes and a client reads.
mod challenge;
/// Credentials with one change, and the error of each.
mod credential;
/// Facilitators, receipts, MCP.
mod messages;
/// Properties of random credentials and headers.
mod properties;
/// Signing by any signer, and the table of tokens.
mod signing;
/// `Authorization: SIWE`
mod siwe;
/// Conformance vectors of `tests/vectors`.
mod vectors;
