//! Models of the contracts in plain Rust.
//!
//! The models use lists and maps, no packed storage and no assembly. A model returns the outcome and the logs of a call that has
//! enough gas. [`layout`] derives the registry's storage from the description in `ToolSlotsLib`. [`gas`] has the gas that is
//! enough, and the outcomes that are allowed below it.

mod abi;
mod access;
mod call_result;
mod calldata;
mod chain;
mod environment;
mod external_contracts;
pub mod gas;
pub mod layout;
pub mod predicates;
mod registry;
mod scripted;
pub mod tokens;

pub use access::Access;
pub use call_result::CallResult;
pub use chain::ChainModel;
pub use environment::{Context, Environment};
pub use external_contracts::ExternalContracts;
pub use registry::{Registry, Tool};
pub use scripted::Scripts;
