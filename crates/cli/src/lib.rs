#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod arguments;
mod chain;
mod cmd;
mod config;
mod context;
mod environment;
mod error;
mod invalid_value;
mod logging;
mod man_page;
mod outcome;
mod output;
mod process;
mod progress;
mod registry_choice;
mod rpc_url;
mod suggestion;

pub use arguments::command;
pub use process::main;
