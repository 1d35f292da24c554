#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

mod acceptor;
mod anvil;
mod certificate_authority;
mod connection;
mod dns_server;
mod ens_contracts;
mod hostile_server;
mod http;
mod https_server;
mod identity;
mod postgres_server;
mod repeated_call;
mod rpc_proxy;

pub use anvil::{ACCOUNT, ACCOUNTS, Anvil, KEY, KEYS, binary, cast, post, request};
pub use certificate_authority::CertificateAuthority;
pub use connection::Connection;
pub use dns_server::{DnsResponse, DnsServer};
pub use ens_contracts::EnsContracts;
pub use hostile_server::HostileServer;
pub use http::{Request, Response};
pub use https_server::HttpsServer;
pub use identity::Identity;
pub use postgres_server::PostgresServer;
pub use repeated_call::repeated_call;
pub use rpc_proxy::{Action, RpcProxy, RpcRequest};
