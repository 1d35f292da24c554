//! Failures of a forwarded request and the responses to them.

use http::{Response, StatusCode};

use super::{
    transfer::UploadFailure,
    upstream::{ConnectTimeout, find_cause},
};
use crate::{Body, problem::problem};

/// Why a request has no response from the upstream server.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the upstream server is not reachable")]
    Unreachable(#[source] hyper_util::client::legacy::Error),
    #[error("the upstream server did not accept the connection in time")]
    ConnectTimeout,
    #[error("the upstream server closed the connection before it responded")]
    Disconnected(#[source] hyper_util::client::legacy::Error),
    #[error("the upstream server sent an invalid response")]
    InvalidResponse(#[source] hyper_util::client::legacy::Error),
    #[error("the upstream server switched protocols without a request to do so")]
    UnexpectedUpgrade,
    #[error("the upstream server did not respond in time")]
    Timeout,
    #[error("the request is invalid")]
    InvalidRequest,
    #[error(transparent)]
    Upload(#[from] UploadFailure),
}

impl Failure {
    pub(super) fn new(error: hyper_util::client::legacy::Error) -> Self {
        if error.is_connect() {
            return match find_cause::<ConnectTimeout>(&error) {
                Some(_) => Self::ConnectTimeout,
                None => Self::Unreachable(error),
            };
        }
        match find_cause::<hyper::Error>(&error) {
            Some(cause) if cause.is_parse() || cause.is_parse_too_large() => {
                Self::InvalidResponse(error)
            }
            _ => Self::Disconnected(error),
        }
    }

    /// Whether the same request can be sent again, if its method is idempotent: no byte of a response arrived.
    pub(super) const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Disconnected(_))
    }

    const fn status(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Unreachable(_) => (StatusCode::BAD_GATEWAY, "upstream_unreachable"),
            Self::ConnectTimeout => (StatusCode::GATEWAY_TIMEOUT, "upstream_connect_timeout"),
            Self::Disconnected(_) => (StatusCode::BAD_GATEWAY, "upstream_disconnected"),
            Self::InvalidResponse(_) | Self::UnexpectedUpgrade => {
                (StatusCode::BAD_GATEWAY, "upstream_invalid_response")
            }
            Self::Timeout => (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
            Self::InvalidRequest => (StatusCode::BAD_REQUEST, "invalid_request"),
            Self::Upload(UploadFailure::TooLarge) => {
                (StatusCode::PAYLOAD_TOO_LARGE, "request_too_large")
            }
            Self::Upload(UploadFailure::Stalled) => {
                (StatusCode::REQUEST_TIMEOUT, "request_timeout")
            }
            Self::Upload(UploadFailure::Disconnected) => {
                (StatusCode::BAD_REQUEST, "request_incomplete")
            }
        }
    }

    /// Names no address: upstream servers are internal.
    pub(super) fn response(&self) -> Response<Body> {
        let (status, code) = self.status();
        problem(status, code, &self.to_string())
    }
}
