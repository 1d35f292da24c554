//! What the contracts must do, in plain Rust.
//!
//! Small and obviously right: lists and maps, no packing, no cleverness. A model takes a call and tells what it returns or
//! reverts with and what it logs, given plenty of gas. Worked out apart: what the storage must look like, in [`layout`], from
//! the drawing in `ToolSlotsLib`; how much gas is plenty, and what may come of less, in [`Chain::supply`].

mod abi;
mod answer;
mod calldata;
mod chain;
pub mod layout;
mod neighbours;
mod others;
pub mod predicates;
mod registry;
mod reply;
mod scripted;
mod supply;
mod thirst;
pub mod tokens;

pub use answer::Answer;
pub use chain::Chain;
pub use neighbours::{Around, Neighbours};
pub use others::Others;
pub use registry::{Registry, Tool};
pub use reply::Reply;
pub use scripted::ScriptBook;
pub use supply::{Need, Supply};
