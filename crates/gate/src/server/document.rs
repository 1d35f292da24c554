//! Documents that the server serves itself.

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
        IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
    },
};

use crate::{Body, body::full, problem::problem};

/// A JSON document with an entity tag.
#[derive(Clone, Debug)]
pub(super) struct JsonDocument {
    bytes: Bytes,
    tag: HeaderValue,
}

impl JsonDocument {
    /// `tag` identifies the content.
    pub(super) fn new(bytes: impl Into<Bytes>, tag: &str) -> Self {
        let tag = HeaderValue::try_from(format!("\"{tag}\""));
        Self {
            bytes: bytes.into(),
            tag: tag.unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
        }
    }

    /// Responds to GET and HEAD with the exact bytes. Caches must revalidate: a stale manifest fails verification.
    pub(super) fn respond(&self, request: &Request<Body>) -> Response<Body> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = problem(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "the document can be read only",
            );
            let allow = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(ALLOW, allow);
            return response;
        }
        let tags = request.headers().get_all(IF_NONE_MATCH);
        let is_current = tags.into_iter().any(|tags| {
            let mut tags = tags.as_bytes().split(|byte| *byte == b',');
            tags.any(|tag| tag.trim_ascii() == self.tag.as_bytes())
        });
        let mut response = match (is_current, request.method() == Method::HEAD) {
            (true, _) => Response::new(full("")),
            (false, true) => Response::new(full("")),
            (false, false) => Response::new(full(self.bytes.clone())),
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, self.tag.clone());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        if is_current {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, self.bytes.len().into());
        response
    }
}
