#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod address;
mod error;
mod exceptions;
mod guarded;
mod limits;
mod operator;
mod response;

pub use address::forbidden_range;
pub use error::Error;
pub use exceptions::{AllowedHost, AllowedHosts};
pub use guarded::SafeHttpClient;
pub use limits::Limits;
pub use operator::HttpClient;
pub use response::Response;
