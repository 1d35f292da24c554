//! Headers that concern one connection only, and trailers.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, EXPECT, HOST, PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION, SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
};

use crate::request_headers::is_reserved;

/// Headers of one connection (RFC 9110 § 7.6.1), besides those that `Connection` names.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
    // The proxy sends the body without waiting for `100 Continue`.
    EXPECT,
];

/// Whether the header lists a token, ignoring case.
pub(super) fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    tokens(headers, name).any(|found| found.eq_ignore_ascii_case(token))
}

fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(str::trim))
}

/// Removes hop-by-hop headers. `Trailer` is rewritten: it announces the trailers that are passed on.
pub(super) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = tokens(headers, &CONNECTION)
        .filter_map(|name| name.parse().ok())
        .filter(|name: &HeaderName| !is_protected(name))
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    let trailers: Vec<_> = tokens(headers, &TRAILER)
        .filter_map(|name| name.parse().ok())
        .filter(is_trailer)
        .map(|name| name.as_str().to_owned())
        .collect();
    headers.remove(TRAILER);
    if let Ok(value) = HeaderValue::try_from(trailers.join(", "))
        && !trailers.is_empty()
    {
        headers.insert(TRAILER, value);
    }
}

/// End-to-end headers that `Connection` must not remove: a caller could hide what the gate has set.
fn is_protected(name: &HeaderName) -> bool {
    is_reserved(name) || matches!(*name, HOST | CONTENT_LENGTH | CONTENT_TYPE)
}

/// Whether a field may be a trailer: not framing, routing, authentication, or what the gate itself sets.
fn is_trailer(name: &HeaderName) -> bool {
    !HOP_BY_HOP.contains(name)
        && !is_protected(name)
        && !matches!(*name, COOKIE | SET_COOKIE | TRAILER)
}

/// Removes fields that must not be trailers.
pub(super) fn filter_trailers(trailers: &mut HeaderMap) {
    let forbidden: Vec<_> = trailers
        .keys()
        .filter(|name| !is_trailer(name))
        .cloned()
        .collect();
    for name in forbidden {
        trailers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    #[test]
    fn removes_hop_by_hop_headers_and_those_that_connection_names() {
        let mut map = headers(&[
            ("connection", "keep-alive, X-Private"),
            ("keep-alive", "timeout=5"),
            ("x-private", "1"),
            ("te", "gzip"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic secret"),
            ("proxy-connection", "keep-alive"),
            ("transfer-encoding", "chunked"),
            ("expect", "100-continue"),
            ("accept", "*/*"),
        ]);
        map.append(CONNECTION, HeaderValue::from_static("X-Other"));
        map.insert("x-other", HeaderValue::from_static("2"));
        remove_hop_by_hop(&mut map);
        assert_eq!(map, headers(&[("accept", "*/*")]));
    }

    #[test]
    fn connection_cannot_remove_what_the_gate_sets() {
        let mut map = headers(&[
            (
                "connection",
                "x-tool-caller, x-forwarded-for, host, forwarded, x-request-id, x-real-ip",
            ),
            ("x-request-id", "1"),
            ("x-real-ip", "192.0.2.1"),
            ("x-tool-caller", "0x01"),
            ("x-forwarded-for", "192.0.2.1"),
            ("forwarded", "for=192.0.2.1"),
            ("host", "a.example"),
        ]);
        remove_hop_by_hop(&mut map);
        assert_eq!(map.len(), 6);
    }

    #[test]
    fn trailers_cannot_carry_framing_credentials_or_reserved_fields() {
        let mut map = headers(&[("trailer", "X-Checksum, X-Tool-Caller, Content-Length")]);
        map.append(
            TRAILER,
            HeaderValue::from_static("Grpc-Status, Authorization"),
        );
        remove_hop_by_hop(&mut map);
        assert_eq!(map, headers(&[("trailer", "x-checksum, grpc-status")]));

        let mut trailers = headers(&[
            ("x-checksum", "1"),
            ("x-tool-caller", "0x01"),
            ("x_tool_caller", "0x01"),
            ("x-payment", "e30="),
            ("content-length", "5"),
            ("transfer-encoding", "chunked"),
            ("authorization", "Bearer x"),
            ("host", "b.example"),
        ]);
        filter_trailers(&mut trailers);
        assert_eq!(trailers, headers(&[("x-checksum", "1")]));
    }
}
