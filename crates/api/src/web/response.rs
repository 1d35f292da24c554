//! Responses of the explorer and their security headers.

use askama::Template;
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::{Host, Url};

/// Only our own files; nothing inline, nothing from other hosts, no frames. `data:` is for icons that [`super::links::icon`] accepts.
pub(super) const PAGE_CSP: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
     form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Scheme and host by which the client reached this server, if the host is valid.
pub(super) fn site(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if host.is_empty() || host.len() > 255 || !host.bytes().all(is_valid) {
        return None;
    }
    let url = Url::parse(&format!("https://{host}")).ok()?;
    let is_local = match url.host()? {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    // Other servers are behind a proxy that terminates TLS.
    let scheme = if is_local { "http" } else { "https" };
    Some(format!("{scheme}://{host}"))
}

/// Of everything that is not a page.
pub(super) const FILE_CSP: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// A page.
pub(super) fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => {
            let mut response = document("text/html; charset=utf-8", PAGE_CSP, html);
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
    let mut response = document(content_type, FILE_CSP, content);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_valid_host() {
        let of = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            site(&headers)
        };
        for (host, url) in [
            ("tools.example.org", "https://tools.example.org"),
            ("tools.example.org:8443", "https://tools.example.org:8443"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("localhost", "http://localhost"),
        ] {
            assert_eq!(of(host).as_deref(), Some(url));
        }
        for host in ["", "a b", "a/b", "a\"onload=x", "a@b", "a:b:c", "x?y"] {
            assert_eq!(of(host), None, "{host}");
        }
        assert_eq!(site(&HeaderMap::new()), None);
    }
}
