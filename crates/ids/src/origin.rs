//! Origins of https URLs.

use std::fmt;

/// Origin of a normalized https URL: host and port (RFC 6454). The scheme is always https.
///
/// Port 443 is left out, so two origins are equal if and only if their texts are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    host: String,
    port: Option<u16>,
}

impl Origin {
    pub(crate) const fn new(host: String, port: Option<u16>) -> Self {
        Self { host, port }
    }

    /// The lower-case host. An IPv6 address has its brackets.
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
