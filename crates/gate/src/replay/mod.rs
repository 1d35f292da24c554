//! Replay protection: an authorization is used once.

mod seen;

pub(crate) use seen::Refused;
pub use seen::SeenNonces;
