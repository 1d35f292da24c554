#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod call_schema;
mod closed_door;
mod cost;
mod error;
mod graph;
mod limits;
mod message;
mod mismatch;
mod pattern;
mod tree;

pub use call_schema::CallSchema;
pub use error::Error;
pub use limits::*;
pub use mismatch::Mismatch;
