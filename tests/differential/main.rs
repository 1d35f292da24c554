//! One input, two implementations: the same transactions on revm and on anvil, on contracts from other compiler pipelines, and
//! access results decoded by Rust and by Solidity.

mod access;
mod anvil;
mod pipelines;
mod scenarios;

/// The scenarios of `tests/properties`.
#[path = "../properties/predicates"]
#[expect(dead_code, reason = "the properties use more of it")]
mod predicates {
    pub(crate) mod actors;
    mod configure;
    mod data;
    mod execute;
    pub(crate) mod fixture;
    mod merkle_tree;
    mod reach;
    pub(crate) mod scenario;
    pub(crate) mod step;
    mod submit;
    mod token_behaviors;
    mod token_steps;
    mod tokens;
}
