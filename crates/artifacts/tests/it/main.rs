//! Integration tests of `atr-artifacts`. They need `make deps`: Node.js and the pinned compiler.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

/// A small repository in a temporary folder.
mod sample;

/// The committed artifacts match the contracts.
mod committed;
/// Content of the artifacts.
mod compile;
/// Error messages.
mod failures;
/// Updating and checking, with exit codes.
mod update;
