//! `atr gate` in front of real upstream servers, on a real chain.

/// A gated tool, its upstream server and callers.
mod fixture;

mod access;
mod check;
mod configuration;
/// What is lost when the gate or what it depends on fails.
mod drills;
mod examples;
mod mcp;
mod payment;
mod start;
