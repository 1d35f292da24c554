//! Parts of a URL that a connection needs.

use std::{fmt, net::IpAddr};

use atr_ids::HttpsUrl;
use hyper::Uri;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::Error;

const HTTPS_PORT: u16 = 443;

/// Characters of an `HttpsUrl` that RFC 3986 does not allow, besides those that are not ASCII. A request has them percent-encoded.
const NOT_RFC_3986: &AsciiSet = &CONTROLS
    .add(b'[')
    .add(b']')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'^')
    .add(b'`');

/// Parts of a URL. `Display` prints host and port only.
#[derive(Debug)]
pub(super) struct Target {
    /// An IPv6 address has its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Value of the `host` header.
    pub(super) authority: String,
    pub(super) path_and_query: Uri,
}

impl Target {
    pub(super) fn try_new(url: &HttpsUrl) -> Result<Self, Error> {
        let rest = url.path_query_fragment();
        // The fragment is not sent to the server.
        let path_and_query = rest.split('#').next().unwrap_or_default();
        let slash = if path_and_query.starts_with('/') {
            ""
        } else {
            "/"
        };
        let path_and_query = utf8_percent_encode(path_and_query, NOT_RFC_3986);
        let path_and_query = format!("{slash}{path_and_query}");
        let origin = url.origin();
        let host = origin.host().to_owned();
        Ok(Self {
            authority: origin
                .port()
                .map_or_else(|| host.clone(), |port| format!("{host}:{port}")),
            port: origin.port().unwrap_or(HTTPS_PORT),
            // An `HttpsUrl` has only legal characters, so the length is the only possible error.
            path_and_query: path_and_query.parse().map_err(|_| Error::UrlTooLong)?,
            host,
        })
    }

    /// The address, if the host is an IP address.
    pub(super) fn ip_address(&self) -> Option<IpAddr> {
        self.bare_host().parse().ok()
    }

    /// The host without brackets.
    pub(super) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_path_and_query_without_the_fragment() {
        for (url, authority, path_and_query) in [
            ("https://a.example", "a.example", "/"),
            ("https://a.example/x?y#z", "a.example", "/x?y"),
            ("https://a.example:8443?y", "a.example:8443", "/?y"),
            ("https://[::1]:8443/#z", "[::1]:8443", "/"),
            (
                "https://a.example/%C3%A9;'()*!~@:$&+,=",
                "a.example",
                "/%C3%A9;'()*!~@:$&+,=",
            ),
            (
                "https://a_b.example/é[0]{x}?q=|^`%20",
                "a_b.example",
                "/%C3%A9%5B0%5D%7Bx%7D?q=%7C%5E%60%20",
            ),
        ] {
            let target = Target::try_new(&url.parse().unwrap()).unwrap();
            assert_eq!(target.authority, authority);
            assert_eq!(target.path_and_query.to_string(), path_and_query);
        }
    }

    #[test]
    fn rejects_a_url_that_is_too_long() {
        let url = format!("https://a.example/{}", "x".repeat(70_000));
        let error = Target::try_new(&url.parse().unwrap()).unwrap_err();
        assert!(matches!(error, Error::UrlTooLong), "{error:?}");
    }
}
