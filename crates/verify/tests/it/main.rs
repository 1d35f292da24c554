//! Tests of the verifier with a scripted registry and manifest server. `crates/cli/tests` uses real ones.
#![expect(clippy::unwrap_used, reason = "test code: a panic fails the test")]

mod candidate;
/// Agent Cards of names on a real chain.
mod card;
mod card_world;
mod checks;
mod freshness;
mod many;
/// Updates during verification.
mod race;
/// Scripted registry and manifest server.
mod world;
