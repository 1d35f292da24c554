#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod arguments;
mod chain;
mod cmd;
mod config;
mod context;
mod deployment;
mod environment;
mod error;
mod gas_price;
mod invalid_value;
mod logging;
mod man_page;
mod manifest;
mod node;
mod outcome;
mod output;
mod process;
mod progress;
mod question;
mod registry_choice;
mod rpc_url;
mod runtime;
mod signer;
mod suggestion;
mod table;

pub use arguments::command;
pub use process::main;
