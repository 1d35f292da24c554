//! `atr gate` in front of real upstream servers, on a real chain.

/// A gated tool, its upstream server and callers.
mod fixture;

mod access;
mod check;
mod configuration;
mod examples;
mod mcp;
mod payment;
mod start;
