#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod args;
mod cmd;
mod config;
mod context;
mod error;
mod network;
mod outcome;
mod output;
mod process;
mod signer;
mod transaction;

pub use args::command;
pub use process::main;
