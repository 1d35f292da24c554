#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod catalog;
mod follower;
pub mod mcp;
pub mod model;
pub mod rest;
pub mod server;
mod text;
mod web;

pub use catalog::{Catalog, Failure};
pub use follower::{Follower, FollowerError, open_search_index};
pub use text::timestamp;
