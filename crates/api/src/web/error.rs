//! Errors as pages, for browsers.

use askama::Template;
use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::BodyExt;

use super::response::page;
use crate::rest::Problem;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    status: u16,
    title: &'static str,
    detail: String,
    tool_ref: Option<String>,
    seconds: Option<String>,
}

/// Replaces `application/problem+json` by a page if a browser asks for one outside the API.
pub(crate) async fn error_pages(request: Request, next: Next) -> Response {
    let wants_page = !request.uri().path().starts_with("/api/") && accepts_html(request.headers());
    let response = next.run(request).await;
    let problem = HeaderValue::from_static("application/problem+json");
    if !wants_page || response.headers().get(header::CONTENT_TYPE) != Some(&problem) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let Ok(problem) = serde_json::from_slice::<Problem>(&body.to_bytes()) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let retry = parts.headers.get(header::RETRY_AFTER);
    let title = match parts.status {
        StatusCode::BAD_REQUEST => "This address is not valid",
        StatusCode::FORBIDDEN => "This request was refused",
        StatusCode::NOT_FOUND => "Nothing here",
        StatusCode::METHOD_NOT_ALLOWED => "This page cannot do that",
        StatusCode::GONE => "This tool was deregistered",
        StatusCode::TOO_MANY_REQUESTS => "Please wait a moment",
        StatusCode::SERVICE_UNAVAILABLE => "The index is not available",
        _ => "The server failed",
    };
    // Texts of the API name parameters and paths of the API.
    let detail = match parts.status {
        StatusCode::NOT_FOUND => {
            "The page or tool does not exist, or its registry is not indexed. The status page lists the registries."
        }
        StatusCode::METHOD_NOT_ALLOWED => "Open the page again and use its forms.",
        StatusCode::GONE => "Its creator deregistered it. This is permanent.",
        _ => "",
    };
    let template = ErrorPage {
        status: problem.status,
        title,
        detail: match detail {
            "" => problem.detail,
            detail => detail.to_owned(),
        },
        tool_ref: problem.tool_ref,
        seconds: retry.and_then(|value| Some(value.to_str().ok()?.to_owned())),
    };
    let mut response = page(parts.status, &template);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = retry {
        headers.insert(header::RETRY_AFTER, seconds.clone());
    }
    response
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}
