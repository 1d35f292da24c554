//! Integration tests of `atr`: the real binary, in an empty folder, with an empty environment.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// Runs the binary and writes down everything it did.
mod atr;

/// A local chain, a bad line to it, and explorers.
#[path = "../../../deploy/tests/support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the tests of `atr-deploy`, which use the rest"
)]
mod support;

mod completions;
/// Where settings come from, and what is said when they are wrong.
mod config;
/// Deploying for real, on local chains, over good lines and bad ones.
mod deploy;
/// The help of every command there is.
mod help;
mod man;
/// Reading, judging, hashing and writing manifests.
mod manifest;
/// What holds for the process whatever the command: version, exit codes, streams, logs.
mod process;
