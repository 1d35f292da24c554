//! Integration tests of `atr-artifacts`. They need what `make deps` installs: Node.js and the pinned compiler.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// A small repository in a temporary folder, compiled by the real compiler.
mod sample;

/// The artifacts committed to this repository are those of its contracts.
mod committed;
/// What is kept of a compilation, and what is not.
mod compile;
/// What a developer reads when the tools are missing or the sources are wrong.
mod failures;
/// Writing, checking, and the exit codes of both.
mod update;
