#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod abi;
mod change;
mod code;
mod contracts;
mod fork;
mod gas;
mod journal;
mod lockstep;
mod mocks;
pub mod model;
mod names;
mod receipt;
mod trace;
mod tracer;
mod transaction;
mod world;

pub use change::Change;
pub use code::CodeSource;
pub use contracts::Contracts;
pub use fork::Fork;
pub use gas::Gas;
pub use journal::JournalEntry;
pub use lockstep::Lockstep;
pub use mocks::{
    Behavior, DecodingCaller, DenyingPredicate, DirtyBitsToken, ERC165NonPredicate, ERC1271Wallet,
    EmptyReturnToken, GasBurner, InvalidOpcodeToken, MinGasPredicate, OversizeReturnToken,
    PlainBeaconProxy, PlainERC20, PlainERC721, PlainERC1155, PlainERC1967Proxy, PlainERC7496,
    PlainSubscription, PlainTransparentProxy, PresetResponsePredicate, PresetResponseToken,
    ReturnBombToken, RevertingToken, Script, ScriptedPredicate, SelectorOverrideToken,
    ShortReturnToken, StorageWritingToken,
};
pub use names::Names;
pub use receipt::{Outcome, Receipt};
pub use trace::Trace;
pub use transaction::Transaction;
pub use world::World;
