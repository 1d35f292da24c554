//! The body type of requests and responses that pass through the gate.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;

/// An error of a body whose type is erased.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A streaming body.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;
