//! Responses of the explorer and their security headers.

use askama::Template;
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};

/// Only our own files; nothing inline, nothing from other hosts, no frames. `data:` is for icons that [`super::links::icon`] accepts.
pub(super) const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
     form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Of everything that is not a page.
pub(super) const FILE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// A page.
pub(super) fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => {
            let mut response = document("text/html; charset=utf-8", PAGE_POLICY, html);
            *response.status_mut() = status;
            response
        }
        Err(error) => {
            tracing::error!(%error, "a page was not rendered");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A file of the binary. Its content changes with the version only.
pub(super) fn file(content_type: &'static str, content: &'static str) -> Response {
    let mut response = document(content_type, FILE_POLICY, content);
    response.headers_mut().insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    );
    response
}

/// A document that must be revalidated: a failed verification must not stay verified in a cache.
pub(super) fn document(
    content_type: &'static str,
    policy: &'static str,
    body: impl Into<Body>,
) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: then forms would be sent with `Origin: null`.
        (header::REFERRER_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
