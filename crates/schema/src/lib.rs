#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod budget;
mod compile;
mod encode;
mod error;
mod evaluate;
mod number;
mod outcome;
mod pattern;
mod references;
mod schema;
mod translate;

pub use budget::*;
pub use error::Error;
pub use outcome::{Failure, Outcome};
pub use schema::Schema;
