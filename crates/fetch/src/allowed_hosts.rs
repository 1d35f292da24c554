//! Hosts that are exempt from SSRF protection.

use std::{fmt, str::FromStr};

use atr_ids::{HttpsUrl, excerpt};

use crate::Error;

/// Hosts that [`SafeHttpClient`](crate::SafeHttpClient) may reach at any address. Empty by default.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    /// Hosts that may resolve to addresses that are not public. Every other rule still applies to them.
    pub hosts: Vec<AllowedHost>,
    /// Additional root certificates in PEM, trusted for these hosts only.
    pub root_certificates: Vec<u8>,
}

/// A host and a port, compared as text: `localhost:8443`, `[::1]:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: u16,
}

impl AllowedHost {
    pub(crate) fn matches(&self, host: &str, port: u16) -> bool {
        self.host == host && self.port == port
    }
}

impl FromStr for AllowedHost {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || Error::AllowedHost {
            found: excerpt(text),
        };
        // Parsed like the URLs it is compared with. Unlike in a URL, port 443 must be explicit.
        let url: HttpsUrl = format!("https://{text}").parse().map_err(|_| invalid())?;
        let (_, port) = text.rsplit_once(':').ok_or_else(invalid)?;
        let port = port.parse().map_err(|_| invalid())?;
        if !url.path_query_fragment().is_empty() {
            return Err(invalid());
        }
        Ok(Self {
            host: url.into_origin().host().to_owned(),
            port,
        })
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsing_and_printing_round_trips() {
        for (text, printed) in [
            ("localhost:8443", "localhost:8443"),
            ("Tools.Example:443", "tools.example:443"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("[::1]:8443", "[::1]:8443"),
        ] {
            let host: AllowedHost = text.parse().unwrap();
            assert_eq!(host.to_string(), printed);
            assert_eq!(printed.parse::<AllowedHost>().unwrap(), host);
        }
    }

    #[test]
    fn rejects_hosts_without_a_port_and_text_that_is_not_a_host() {
        for text in [
            "",
            "localhost",
            "localhost:",
            "localhost:0",
            "localhost:65536",
            "localhost:+1",
            ":1",
            "https://localhost:1",
            "localhost:1/",
            "user@localhost:1",
            "[::1]",
            "*:1",
            "a b:1",
        ] {
            assert!(text.parse::<AllowedHost>().is_err(), "{text:?}");
        }
    }
}
