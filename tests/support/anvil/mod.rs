//! Replays the journal of a world on anvil.

mod node;
mod replay;

pub use replay::{Counts, Replay};
