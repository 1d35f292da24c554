#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod access;
mod batch;
mod error;
mod follow;
mod indexer;
mod listing;
mod missing;
mod options;
mod price_probe;
mod report;
mod verification;
mod worker;

pub use error::Error;
pub use indexer::{IndexedRegistry, Indexer};
pub use options::{IndexerOptions, VerificationOptions};
pub use report::{Observer, Progress, Report};
