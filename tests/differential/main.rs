//! One input, two implementations: the same transactions on revm and on a real anvil, on contracts from other compiler
//! pipelines, and access answers read by Rust and by Solidity.

mod answers;
mod anvil;
mod pipelines;
mod scenes;
mod tour;

/// The scenarios of `tests/properties`, to be played elsewhere.
#[path = "../properties/predicates"]
#[expect(dead_code, reason = "the properties ask for more")]
mod predicates {
    pub(crate) mod cast;
    mod data;
    mod holdings;
    mod merkle_tree;
    mod moves;
    mod play;
    mod reach;
    pub(crate) mod scenario;
    mod set_up;
    mod signer;
    pub(crate) mod stage;
    pub(crate) mod step;
    mod submit;
    mod voices;
}
