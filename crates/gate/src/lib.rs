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
mod gate;
mod layer;
mod metrics;
mod rate_limit;
mod rejection;
mod replay;
mod schemas;

pub use body::{Body, BoxError};
pub use clock::Clock;
pub use config::{AccessData, BodyLimits, ConfigError, GateConfig};
pub use context::{ClientAddress, GateContext, Payment};
pub use gate::Gate;
pub use layer::{GateLayer, GateService};
pub use metrics::Metrics;
pub use rate_limit::{RateLimit, RateLimiter};
pub use rejection::Rejection;
pub use replay::SeenNonces;
pub use schemas::ToolSchemas;
