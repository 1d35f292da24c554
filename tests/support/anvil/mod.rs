//! A real anvil beside the chain in memory: started, spoken to, and held against what a world wrote down.

mod node;
mod replay;
mod rpc;

pub use replay::{Replay, Tally};
