#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod body;
pub mod discovery;
#[cfg(feature = "proxy")]
mod drain;
pub mod pricing;
#[cfg(feature = "proxy")]
mod problem;
#[cfg(feature = "proxy")]
pub mod proxy;
#[cfg(feature = "proxy")]
mod request_headers;
#[cfg(feature = "proxy")]
pub mod server;

pub use body::{Body, BoxError};
