//! What is asked, in the pieces a connection needs.

use std::{fmt, net::IpAddr};

use atr_ids::HttpsUrl;
use hyper::Uri;

use crate::Error;

const HTTPS_PORT: u16 = 443;

/// A URL taken apart. Printed it is host and port only.
#[derive(Debug)]
pub(super) struct Target {
    /// As in the URL: an IPv6 address has its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// What the `host` header says.
    pub(super) authority: String,
    /// Path and query.
    pub(super) resource: Uri,
}

impl Target {
    pub(super) fn try_new(url: &HttpsUrl) -> Result<Self, Error> {
        let rest = url.path_and_more();
        // The fragment is the reader's; servers are not told.
        let resource = rest.split('#').next().unwrap_or_default();
        let slash = if resource.starts_with('/') { "" } else { "/" };
        let resource = format!("{slash}{resource}");
        let origin = url.origin();
        let host = origin.host().to_owned();
        Ok(Self {
            authority: origin
                .port()
                .map_or_else(|| host.clone(), |port| format!("{host}:{port}")),
            port: origin.port().unwrap_or(HTTPS_PORT),
            // All that a URL of ours may hold is legal there but its length.
            resource: resource.parse().map_err(|_| Error::Target)?,
            host,
        })
    }

    /// The address, if the host is one and not a name.
    pub(super) fn literal(&self) -> Option<IpAddr> {
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
    fn the_server_is_told_path_and_query_and_no_fragment() {
        for (url, authority, resource) in [
            ("https://a.example", "a.example", "/"),
            ("https://a.example/x?y#z", "a.example", "/x?y"),
            ("https://a.example:8443?y", "a.example:8443", "/?y"),
            ("https://[::1]:8443/#z", "[::1]:8443", "/"),
            (
                "https://a.example/%C3%A9;'()*!~@:$&+,=",
                "a.example",
                "/%C3%A9;'()*!~@:$&+,=",
            ),
        ] {
            let target = Target::try_new(&url.parse().unwrap()).unwrap();
            assert_eq!(target.authority, authority);
            assert_eq!(target.resource.to_string(), resource);
        }
    }

    #[test]
    fn a_url_beyond_all_measure_is_refused() {
        let url = format!("https://a.example/{}", "x".repeat(70_000));
        let refused = Target::try_new(&url.parse().unwrap()).unwrap_err();
        assert!(matches!(refused, Error::Target), "{refused:?}");
    }
}
