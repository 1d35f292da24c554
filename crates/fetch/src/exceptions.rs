//! What the operator lets strangers' URLs do that they may not do otherwise.

use std::{fmt, str::FromStr};

use atr_ids::{HttpsUrl, excerpt};

use crate::Error;

/// AllowedHosts from the rules of the guarded door; none by default.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    /// Hosts that may lead to any address. Every other rule holds for them as well.
    pub hosts: Vec<AllowedHost>,
    /// More root certificates, in PEM. They are trusted for those hosts only.
    pub roots: Vec<u8>,
}

/// A host and a port, compared as text: `localhost:8443`, `[::1]:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: u16,
}

impl AllowedHost {
    pub(crate) fn is(&self, host: &str, port: u16) -> bool {
        self.host == host && self.port == port
    }
}

impl FromStr for AllowedHost {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || Error::AllowedHost {
            found: excerpt(text),
        };
        // Read as the URLs are it is compared with. A port of 443 is spelt out here and not there.
        let url: HttpsUrl = format!("https://{text}").parse().map_err(|_| refused())?;
        let (_, port) = text.rsplit_once(':').ok_or_else(refused)?;
        let port = port.parse().map_err(|_| refused())?;
        if !url.path_and_more().is_empty() {
            return Err(refused());
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
    fn whatever_parses_prints_and_parses_to_itself() {
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
    fn a_host_without_a_port_and_things_that_are_no_host_are_refused() {
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
