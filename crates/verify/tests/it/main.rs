//! The verifier, with a registry and a web that do as they are told. The real ones are in `crates/cli/tests`.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is the report"
)]

/// What may be registered.
mod candidate;
/// What each check makes of what.
mod checks;
/// How long a verdict lasts.
mod freshness;
/// An update while we look.
mod race;
/// A registry and a web made of what a test says.
mod world;
