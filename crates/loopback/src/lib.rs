#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![expect(
    clippy::unwrap_used,
    reason = "all of this is for tests: a panic is the report"
)]

mod acceptor;
mod anvil;
mod authority;
mod hostile_server;
mod http;
mod https_server;
mod identity;
mod name_server;
mod wire;

pub use anvil::{ACCOUNT, ACCOUNTS, Anvil, KEY, KEYS, binary, cast, post};
pub use authority::Authority;
pub use hostile_server::HostileServer;
pub use http::{Answer, Request};
pub use https_server::HttpsServer;
pub use identity::Identity;
pub use name_server::{DnsAnswer, NameServer};
pub use wire::Wire;
