//! Why no answer came back.
//!
//! Seen by the rooms that ask; they add what they asked for. No variant holds the URL: operators put keys in it.

/// Why a request brought no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The door could not be opened: the system's certificates, usually.
    #[error("cannot set up HTTPS on this machine; are its root certificates installed?")]
    Setup {
        /// What the library said.
        source: reqwest::Error,
    },
    /// Only these two schemes pass.
    #[error("`{found}` is not a scheme to ask over; use http or https")]
    Scheme {
        /// What the URL has.
        found: String,
    },
    /// The cap on time ran out.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// The cap.
        seconds: u64,
    },
    /// The cap on bytes was passed.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// The cap.
        limit: usize,
    },
    /// Nobody listens, or the connection broke.
    #[error("cannot reach {host}")]
    Unreachable {
        /// Host and port; the rest of the URL may hold a key.
        host: String,
        /// What the library said, without the URL.
        source: reqwest::Error,
    },
}

impl Error {
    /// Whether the same request may succeed when simply made again.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::Unreachable { .. })
    }
}
