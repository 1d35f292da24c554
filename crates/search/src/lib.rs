#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod document;
mod error;
mod index;
mod query;
mod ranking;
mod schema;
mod text;
mod vocabulary;

pub use document::{MAX_PRICES, MAX_TEXT_BYTES, Price, SearchDocument, Standing};
pub use error::Error;
pub use index::{Change, Opened, Position, SearchIndex};
pub use query::{Filters, Hit, Hits, MAX_WINDOW, MaxPrice, SearchQuery, Sort};
