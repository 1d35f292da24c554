#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

#[cfg(feature = "listener")]
mod activity;
#[cfg(feature = "listener")]
mod connection;
#[cfg(feature = "listener")]
mod drain;
mod forwarded;
mod rate_limit;
mod request_id;
#[cfg(feature = "listener")]
mod server;
#[cfg(feature = "listener")]
mod stall;
#[cfg(feature = "listener")]
mod tls;

#[cfg(feature = "listener")]
pub use activity::ActiveRequest;
#[cfg(feature = "listener")]
pub use connection::Connection;
#[cfg(feature = "listener")]
pub use drain::Drain;
pub use forwarded::{ClientAddress, TrustedProxies};
pub use rate_limit::{KeyedRateLimiter, RateLimit, client_network};
pub use request_id::{RequestId, RequestIds, X_REQUEST_ID};
#[cfg(feature = "listener")]
pub use server::{
    Body, BoxError, Handler, ResponseFuture, Server, ServerConfig, Shutdown, TlsHandle,
};
#[cfg(feature = "listener")]
pub use tls::{TlsError, TlsIdentity};
