#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod access;
mod body;
mod breaker;
mod challenge;
mod clock;
mod config;
mod context;
mod decision;
pub mod discovery;
mod gate;
mod layer;
pub mod mcp;
mod metrics;
pub mod payment;
pub mod pricing;
#[cfg(feature = "proxy")]
mod problem;
#[cfg(feature = "proxy")]
pub mod proxy;
mod rate_limit;
mod rejection;
pub mod replay;
#[cfg(feature = "proxy")]
mod request_headers;
mod schemas;
#[cfg(feature = "proxy")]
pub mod server;
mod usage;

pub use atr_http_server::{ClientAddress, RateLimit};
pub use body::{Body, BoxError};
pub use clock::Clock;
pub use config::{AccessData, BodyLimits, ConfigError, GateConfig};
pub use context::{GateContext, Payment};
pub use gate::Gate;
pub use layer::{GateLayer, GateService};
pub use metrics::Metrics;
pub use payment::{PaymentConfig, SettleMode};
pub use rate_limit::RateLimiter;
pub use rejection::Rejection;
pub use replay::{PaymentRecords, SeenNonces};
pub use schemas::ToolSchemas;
pub use usage::{UsageError, UsageReporter};
