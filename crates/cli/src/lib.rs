#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod access;
mod account;
mod account_list;
mod arguments;
mod call_data;
mod chain;
mod clock;
mod cmd;
mod config;
mod configuring;
mod context;
mod deployment;
mod environment;
mod error;
mod gas_price;
mod guard;
mod invalid_value;
mod listing;
mod logging;
mod man_page;
mod manifest;
mod node;
mod numbers;
mod outcome;
mod output;
mod process;
mod progress;
mod question;
mod registration;
mod registry;
mod registry_choice;
mod rpc_url;
mod runtime;
mod sending;
mod signer;
mod suggestion;
mod table;
mod tool_name;
mod verification;
mod word;

pub use arguments::command;
pub use process::main;
