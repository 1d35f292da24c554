//! Errors as `application/problem+json` (RFC 9457).

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Failure, text};

/// An error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Stable code of the error, as a URN.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code in words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What is wrong with this request, and what to do.
    pub detail: String,
    /// The parameter that breaks a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The deregistered tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_ref: Option<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:atr:{code}"),
            title: code.replace('-', " "),
            status: status.as_u16(),
            detail: detail.into(),
            parameter: None,
            tool_ref: None,
        }
    }
}

/// A problem with its content type.
pub(crate) fn respond(problem: Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(problem)).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let detail = self.to_string();
        match self {
            Self::Invalid { parameter, .. } => {
                let detail = text::line(&detail, 500);
                let problem = Problem::new(StatusCode::BAD_REQUEST, "invalid-parameter", detail);
                respond(Problem {
                    parameter: Some(text::line(&parameter, 64)),
                    ..problem
                })
            }
            Self::NotFound => respond(Problem::new(
                StatusCode::NOT_FOUND,
                "tool-not-found",
                "the registry has not assigned this id, or the index does not follow the registry; see /api/v2/status",
            )),
            Self::Gone { tool_ref } => {
                let detail = "the creator deregistered the tool; this is permanent";
                let problem = Problem::new(StatusCode::GONE, "tool-deregistered", detail);
                respond(Problem {
                    tool_ref: Some(tool_ref),
                    ..problem
                })
            }
            Self::TooMany { seconds } => too_many(
                seconds,
                "too many requests of this kind; a check may already be in progress",
            ),
            Self::Unavailable(error) => {
                tracing::error!(
                    error = &*error as &dyn std::error::Error,
                    "a request failed"
                );
                let detail = "the database or the search index failed; try again later";
                let mut response = respond(Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "index-unavailable",
                    detail,
                ));
                response
                    .headers_mut()
                    .insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
                response
            }
        }
    }
}

pub(crate) fn too_many(seconds: u64, detail: &str) -> Response {
    let mut response = respond(Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too-many-requests",
        detail,
    ));
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, seconds.into());
    response
}
