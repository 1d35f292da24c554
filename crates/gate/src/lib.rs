#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod access;
mod body;
mod breaker;
mod clock;

pub use body::{Body, BoxError};
pub use clock::Clock;
