//! Entity tags: a client that has the current response gets 304.

use alloy_primitives::{hex, keccak256};
use axum::{
    body::Body,
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode, header};
use http_body_util::BodyExt;

/// Adds a weak tag (the response may be compressed) to JSON responses of reads.
pub(super) async fn conditional(request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    let json = HeaderValue::from_static("application/json");
    let is_json = response.headers().get(header::CONTENT_TYPE) == Some(&json);
    if !is_read || !is_json || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let body = body.to_bytes();
    let tag = format!("W/\"{}\"", hex::encode(&keccak256(&body)[..16]));
    let is_known = known
        .as_ref()
        .and_then(|known| known.to_str().ok())
        .is_some_and(|known| matches(known, &tag));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, tag);
    }
    // May be stored, and must be revalidated: a failed verification must not stay verified in a cache.
    parts
        .headers
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if is_known {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(body))
}

/// Weak comparison with a list of tags.
fn matches(known: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.trim() == "*" || known.split(',').any(|known| opaque(known) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_weakly_with_every_tag_of_a_list() {
        assert!(matches("\"b\", W/\"a\"", "W/\"a\""));
        assert!(matches("\"a\"", "W/\"a\""));
        assert!(matches("*", "W/\"a\""));
        assert!(!matches("\"b\"", "W/\"a\"") && !matches("", "W/\"a\""));
    }
}
