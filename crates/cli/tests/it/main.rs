//! Integration tests of `atr`: the real binary, in an empty folder, with an empty environment.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// Runs the binary and writes down everything it did.
mod atr;

/// A bad line to a chain, and explorers.
#[path = "../../../deploy/tests/support/mod.rs"]
mod support;

/// Who may use a tool, and what it takes.
mod access;
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
/// Which tool is meant.
mod naming;
/// Looking at predicates and configuring them.
mod predicate;
/// What holds for the process whatever the command: version, exit codes, streams, logs.
mod process;
/// Registering tools and changing what is registered.
mod registration;
/// What is shown, asked and said around everything that is sent.
mod sending;
/// A chain with our contracts, a server, and a publisher.
mod stage;
/// Listing tools and following what happens to them.
mod tool;
/// The four checks, through the real binary.
mod verify;
