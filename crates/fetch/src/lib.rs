#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod error;
mod limits;
mod operator;
mod response;

pub use error::Error;
pub use limits::Limits;
pub use operator::OperatorDoor;
pub use response::Response;
