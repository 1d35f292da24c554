//! One input, two implementations: the same transactions on revm and on a real anvil, on contracts from other compiler
//! pipelines, and access answers read by Rust and by Solidity.

mod answers;
mod anvil;
mod pipelines;
mod tour;
