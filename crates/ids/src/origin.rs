//! Origins: who answers for a URL.

use std::fmt;

/// Scheme (always https), host and port of a normalised URL; equal if and only if the three are (RFC 6454).
///
/// Port 443 is never spelt out, so that equality of texts is equality of origins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    host: String,
    port: Option<u16>,
}

impl Origin {
    pub(crate) const fn new(host: String, port: Option<u16>) -> Self {
        Self { host, port }
    }

    /// The host in lower case; an IPv6 address keeps its brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, if it is not 443.
    #[must_use]
    pub const fn port(&self) -> Option<u16> {
        self.port
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}", self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}
