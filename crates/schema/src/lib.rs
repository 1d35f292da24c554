#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod budget;
mod compile;
mod error;
mod evaluate;
mod instance;
mod number;
mod outcome;
mod path;
mod pattern;
mod schema;

pub use budget::*;
pub use error::Error;
pub use outcome::{Failure, Outcome};
pub use schema::Schema;
