//! Cross-origin requests of browsers. A preflight request is answered without credentials or payment.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, ALLOW, ORIGIN, VARY,
    },
};

use crate::{Body, body::full};

/// Response headers that a client needs to pay and to identify the response.
const EXPOSED: &str = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-Accept-Payment, WWW-Authenticate, Retry-After, \
                       X-Request-Id";

const METHODS: HeaderValue =
    HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");

/// Seconds for which browsers may cache the answer: Chromium's maximum.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// Origins whose scripts may read responses. Cookies are never allowed: credentials are headers that the script sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cors {
    /// Every origin.
    #[default]
    Any,
    /// These origins, such as `https://app.example`.
    Origins(Vec<HeaderValue>),
    /// Left to the upstream server; preflight requests are handled like any other request.
    Off,
}

impl Cors {
    /// Answers a preflight request.
    pub(super) fn preflight(&self, request: &Request<Body>) -> Option<Response<Body>> {
        let headers = request.headers();
        let is_preflight = request.method() == Method::OPTIONS
            && headers.contains_key(ORIGIN)
            && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if *self == Self::Off || !is_preflight {
            return None;
        }
        let mut response = Response::new(full(""));
        *response.status_mut() = StatusCode::NO_CONTENT;
        let answer = response.headers_mut();
        answer.insert(ALLOW, METHODS);
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        answer.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        // Credentials are headers of many names: the gate checks them, not the browser.
        if let Some(names) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
        self.expose(headers.get(ORIGIN), answer);
        Some(response)
    }

    /// Adds the headers for the origin of the request. The upstream server can allow an origin itself.
    pub(super) fn expose(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        let (allowed, varies) = match (self, origin) {
            (Self::Off, _) => return,
            (Self::Any, _) => (Some(HeaderValue::from_static("*")), false),
            (Self::Origins(allowed), origin) => {
                let found = origin.filter(|origin| allowed.contains(origin));
                (found.cloned(), true)
            }
        };
        if varies {
            append(headers, VARY, "Origin");
        }
        let Some(allowed) = allowed else {
            return;
        };
        headers
            .entry(ACCESS_CONTROL_ALLOW_ORIGIN)
            .or_insert(allowed);
        append(headers, ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}

fn append(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.append(name, HeaderValue::from_static(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preflight(cors: &Cors, origin: &'static str) -> Option<HeaderMap> {
        let request = Request::builder()
            .method(Method::OPTIONS)
            .header(ORIGIN, origin)
            .header(ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(ACCESS_CONTROL_REQUEST_HEADERS, "x-payment, content-type")
            .body(full(""))
            .unwrap();
        let response = cors.preflight(&request)?;
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        Some(response.headers().clone())
    }

    #[test]
    fn a_preflight_request_allows_the_requested_headers() {
        let headers = preflight(&Cors::Any, "https://app.example").unwrap();
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(
            headers[ACCESS_CONTROL_ALLOW_HEADERS],
            "x-payment, content-type"
        );
        assert!(preflight(&Cors::Off, "https://app.example").is_none());
        let plain = Request::builder()
            .method(Method::OPTIONS)
            .body(full(""))
            .unwrap();
        assert!(Cors::Any.preflight(&plain).is_none());
    }

    #[test]
    fn only_configured_origins_are_allowed() {
        let cors = Cors::Origins(vec![HeaderValue::from_static("https://app.example")]);
        let allowed = preflight(&cors, "https://app.example").unwrap();
        assert_eq!(allowed[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.example");
        let denied = preflight(&cors, "https://other.example").unwrap();
        assert!(!denied.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        assert_eq!(denied[VARY], "Origin");
    }

    #[test]
    fn keeps_the_origin_that_the_upstream_server_allows() {
        let mut headers = HeaderMap::new();
        headers.insert(
            ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("https://a.example"),
        );
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("X-Own"),
        );
        Cors::Any.expose(None, &mut headers);
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://a.example");
        let exposed: Vec<_> = headers
            .get_all(ACCESS_CONTROL_EXPOSE_HEADERS)
            .into_iter()
            .collect();
        assert_eq!(exposed, ["X-Own", EXPOSED]);
    }
}
