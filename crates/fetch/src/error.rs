//! Why no answer came back.
//!
//! Seen by the rooms that ask; they add what they asked for. No variant holds the URL: operators put keys in it.

use std::net::IpAddr;

/// What a library said; which library is nobody's business outside.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a request brought no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The door could not be opened: the system's certificates, usually.
    #[error("cannot set up HTTPS on this machine; are its root certificates installed?")]
    Setup {
        /// What the library said.
        source: Source,
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
    /// The other side said that it would pass the cap on bytes; nothing was read.
    #[error("the answer announces {announced} bytes; at most {limit} are read")]
    AnnouncedTooLarge {
        /// What it announced.
        announced: u64,
        /// The cap.
        limit: usize,
    },
    /// Nobody listens, or the connection broke.
    #[error("cannot reach {host}")]
    Unreachable {
        /// Host and port; the rest of the URL may hold a key.
        host: String,
        /// What the library said, without the URL.
        source: Source,
    },
    /// A stranger's host leads where strangers have no business.
    #[error("{host} leads to {address}, which is {range}; only public addresses are asked")]
    ForbiddenAddress {
        /// Host and port.
        host: String,
        /// The first address that is not public.
        address: IpAddr,
        /// What the address is instead.
        range: &'static str,
    },
    /// The name does not exist, or nothing is known of it but its existence.
    #[error("{host} has no address: there is no such name, or it has neither A nor AAAA records")]
    NoAddress {
        /// Host and port.
        host: String,
    },
    /// Nobody could say where the host is.
    #[error("cannot find out where {host} is: the name servers give no answer")]
    Resolver {
        /// Host and port.
        host: String,
        /// What the library said.
        source: Source,
    },
    /// The other side pointed elsewhere.
    #[error("the answer is a redirect ({}); none is followed", redirect(*status, location.as_deref()))]
    Redirect {
        /// The status, 300 to 399.
        status: u16,
        /// The beginning of where it points.
        location: Option<String>,
    },
    /// An answer that is no document.
    #[error("the answer has status {status}; only 200 with a whole body counts")]
    Status {
        /// The status.
        status: u16,
    },
    /// The body is packed though it was asked for as it is.
    #[error("the answer is encoded as `{found}`; only plain bytes (identity) are taken")]
    Encoding {
        /// The beginning of the encoding's name.
        found: String,
    },
    /// The connection ended before the answer did.
    #[error("the answer broke off before its end")]
    Truncated,
    /// A head without end.
    #[error("the head of the answer is too large; at most {limit} bytes in {lines} lines are read")]
    HeadersTooLarge {
        /// The cap on bytes.
        limit: usize,
        /// The cap on lines.
        lines: usize,
    },
    /// Whatever came back, it cannot be read as HTTP/1.1.
    #[error("the answer is not HTTP/1.1")]
    NotHttp,
    /// Who answers is not who was asked, or does not speak TLS.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// Host and port.
        host: String,
        /// Why, in words.
        reason: String,
    },
    /// A header of ours that cannot be sent; its value may be a secret.
    #[error("the header `{name}` cannot be sent: malformed, or the door sets it itself")]
    Header {
        /// The beginning of its name.
        name: String,
    },
    /// A URL too long to be asked for.
    #[error("the URL is too long to be asked for")]
    Target,
    /// An exception that names no host and port.
    #[error("`{found}` is not a host and a port such as localhost:8443")]
    AllowedHost {
        /// The beginning of what was given.
        found: String,
    },
    /// Additional root certificates that are none.
    #[error("the additional root certificates cannot be read; PEM with at least one is needed")]
    Roots,
}

fn redirect(status: u16, location: Option<&str>) -> String {
    match location {
        Some(location) => format!("{status} to `{location}`"),
        None => status.to_string(),
    }
}

impl Error {
    /// Whether the same request may succeed when simply made again: nothing was found out for now. Everything else is a
    /// clear no.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Status { status } => *status == 429 || (*status >= 500 && *status < 600),
            Self::TimedOut { .. }
            | Self::Unreachable { .. }
            | Self::Resolver { .. }
            | Self::Truncated => true,
            _ => false,
        }
    }

    /// A short word that stays the same from version to version.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Setup { .. } => "setup",
            Self::Scheme { .. } => "scheme",
            Self::TimedOut { .. } => "timed-out",
            Self::TooLarge { .. } => "too-large",
            Self::AnnouncedTooLarge { .. } => "announced-too-large",
            Self::Unreachable { .. } => "unreachable",
            Self::ForbiddenAddress { .. } => "forbidden-address",
            Self::NoAddress { .. } => "no-address",
            Self::Resolver { .. } => "resolver",
            Self::Redirect { .. } => "redirect",
            Self::Status { .. } => "status",
            Self::Encoding { .. } => "encoding",
            Self::Truncated => "truncated",
            Self::HeadersTooLarge { .. } => "headers-too-large",
            Self::NotHttp => "not-http",
            Self::Tls { .. } => "tls",
            Self::Header { .. } => "header",
            Self::Target => "target",
            Self::AllowedHost { .. } => "allowed-host",
            Self::Roots => "roots",
        }
    }
}
