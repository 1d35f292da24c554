//! Limits on one request.

use std::time::Duration;

/// Limits on every request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the whole request: DNS, connection, TLS, headers and body.
    pub timeout: Duration,
    /// Maximum size of the response body.
    pub max_body_bytes: usize,
}

impl Limits {
    /// For manifests: 1 MiB (I-01) and ten seconds.
    pub const MANIFEST: Self = Self {
        timeout: Duration::from_secs(10),
        max_body_bytes: 1024 * 1024,
    };
}

impl Default for Limits {
    /// 30 seconds and 8 MiB.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            max_body_bytes: 8 * 1024 * 1024,
        }
    }
}
