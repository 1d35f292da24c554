//! Integration tests of `atr`: run the binary in an empty directory with an empty environment.
#![expect(
    clippy::unwrap_used,
    reason = "test helpers report failures by panicking"
)]

/// Runs the binary and records its output.
mod atr;
/// A facilitator that settles on a real chain.
#[path = "../../../gate/tests/it/facilitator.rs"]
#[allow(
    dead_code,
    unexpected_cfgs,
    reason = "the tests of the gate use all of it, with their own features"
)]
mod facilitator;
/// A chain with all contracts, an HTTPS server and a publisher.
mod fixture;
/// RPC proxy and explorer servers.
#[path = "../../../deploy/tests/support/mod.rs"]
mod support;

mod access;
mod call;
mod card;
/// Agent Cards of names on a chain.
mod card_network;
mod completions;
mod config;
/// Conventions of Foundry: endpoints, senders, blocks, names and amounts.
mod conventions;
mod deploy;
mod dev;
/// `--gate`.
mod gate;
/// `atr gate`.
mod gate_server;
mod help;
/// `atr index`.
mod index;
mod man;
mod manifest;
mod mcp;
mod pause;
mod predicate;
/// Version, exit codes, streams and logs.
mod process;
/// Commands killed or stopped at every step.
mod readme;
mod resume;
/// What people see in a terminal of 80 columns.
mod screens;
mod search;
mod tool_argument;
mod tool_read;
mod tool_watch;
mod tool_write;
/// Plans, prompts and sending.
mod transaction;
/// Transactions for another signer.
mod unsigned;
/// Escaping of text that others control.
mod untrusted_text;
mod verify;
