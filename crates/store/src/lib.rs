#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![allow(
    clippy::duplicate_mod,
    reason = "the queries are compiled once for each database"
)]
// Without a database only the types remain.
#![cfg_attr(
    not(any(feature = "sqlite", feature = "postgres")),
    allow(unused, unused_crate_dependencies)
)]

mod error;
#[cfg(feature = "sqlite")]
mod file;
pub mod index;
pub mod replay;

pub use error::Error;
