#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod address;
mod allowed_hosts;
mod certificate;
mod error;
mod http_client;
mod limits;
mod response;
mod safe_http_client;

pub use address::forbidden_range;
pub use allowed_hosts::{AllowedHost, AllowedHosts};
pub use certificate::Certificate;
pub use error::Error;
pub use http_client::HttpClient;
pub use limits::Limits;
pub use response::Response;
pub use safe_http_client::SafeHttpClient;
