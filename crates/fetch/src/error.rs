//! Why a request has no response.
//!
//! No variant contains the whole URL, because operators put API keys in it.

use std::{io, net::IpAddr};

/// Error of an HTTP, TLS or DNS library. Boxed, so that the library is not part of the public API.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client could not be created, usually because of missing root certificates.
    #[error("cannot set up HTTPS on this machine; are the root certificates installed?")]
    Setup {
        /// Error of the TLS library.
        source: Source,
    },
    /// The scheme is neither http nor https.
    #[error("unsupported URL scheme `{found}`; use http or https")]
    Scheme {
        /// The scheme of the URL.
        found: String,
    },
    /// The request timed out.
    #[error("no complete response within {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The body exceeds the limit.
    #[error("the response body is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// `content-length` exceeds the limit. The body was not read.
    #[error("content-length is {content_length}, the limit is {limit} bytes")]
    ContentLengthTooLarge {
        /// The value of the header.
        content_length: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// The connection was refused or lost.
    #[error("cannot connect to {host}: {}", root_cause(source.as_ref()))]
    Unreachable {
        /// Host and port only: the rest of the URL can contain an API key.
        host: String,
        /// Error of the HTTP library, without the URL.
        source: Source,
    },
    /// SSRF protection: the host resolves to an address that is not public.
    #[error("{host} resolves to {address}, which is not public: {range}")]
    ForbiddenAddress {
        /// Host and port.
        host: String,
        /// The first address that is not public.
        address: IpAddr,
        /// Name of the address range.
        range: &'static str,
    },
    /// The name does not exist or has no address records.
    #[error("{host} does not resolve: the name does not exist or has no A or AAAA records")]
    NoAddress {
        /// Host and port.
        host: String,
    },
    /// The DNS servers failed or did not respond.
    #[error("cannot resolve {host}: DNS failure")]
    Resolver {
        /// Host and port.
        host: String,
        /// Error of the DNS library.
        source: Source,
    },
    /// The response is a redirect.
    #[error("the response is a redirect ({}); redirects are not followed", redirect(*status, location.as_deref()))]
    Redirect {
        /// The status, 300 to 399.
        status: u16,
        /// Excerpt of the `location` header.
        location: Option<String>,
    },
    /// The status is not 200.
    #[error("the response has status {status} instead of 200")]
    #[expect(missing_docs, reason = "plain data")]
    Status { status: u16 },
    /// The body is compressed although the request asked for `identity`.
    #[error("the response has encoding `{found}`; only identity is accepted")]
    Encoding {
        /// Excerpt of the header.
        found: String,
    },
    /// The connection ended before the response was complete.
    #[error("the response is incomplete: the connection was closed")]
    Truncated,
    /// The headers exceed the limits.
    #[error("the response headers exceed {limit} bytes or {lines} lines")]
    HeadersTooLarge {
        /// The limit in bytes.
        limit: usize,
        /// The limit in lines.
        lines: usize,
    },
    /// Too many responses with status 1xx before the final one.
    #[error("more than {limit} informational responses (1xx) before the final response")]
    TooManyInformational {
        /// The maximum number.
        limit: usize,
    },
    /// The response is not valid HTTP/1.1.
    #[error("the response is not valid HTTP/1.1")]
    NotHttp,
    /// The TLS handshake failed.
    #[error("TLS connection to {host} failed: {reason}")]
    Tls {
        /// Host and port.
        host: String,
        /// Human-readable.
        reason: String,
    },
    /// A request header that is malformed or reserved. The value is not included, because it can be a secret.
    #[error("invalid request header `{name}`: malformed, or set by the client itself")]
    Header {
        /// Excerpt of the name.
        name: String,
    },
    /// The URL is too long.
    #[error("the URL is too long")]
    UrlTooLong,
    /// Not a host and a port.
    #[error("`{found}` is not a host and a port such as localhost:8443")]
    AllowedHost {
        /// Excerpt of the text.
        found: String,
    },
    /// The additional root certificates are not valid PEM.
    #[error(
        "cannot read the additional root certificates; expected PEM with at least one certificate"
    )]
    RootCertificates,
}

/// The innermost cause: the errors around it name the layers of the HTTP library.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let kind = cause.downcast_ref().map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused".to_owned(),
        Some(io::ErrorKind::ConnectionReset) => "connection reset".to_owned(),
        Some(io::ErrorKind::TimedOut) => "timed out".to_owned(),
        _ => cause.to_string(),
    }
}

fn redirect(status: u16, location: Option<&str>) -> String {
    match location {
        Some(location) => format!("{status} to `{location}`"),
        None => status.to_string(),
    }
}

impl Error {
    /// Whether the error is transient, so that the same request can succeed later.
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

    /// Stable machine-readable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Setup { .. } => "setup",
            Self::Scheme { .. } => "scheme",
            Self::TimedOut { .. } => "timed-out",
            Self::TooLarge { .. } => "too-large",
            Self::ContentLengthTooLarge { .. } => "content-length-too-large",
            Self::Unreachable { .. } => "unreachable",
            Self::ForbiddenAddress { .. } => "forbidden-address",
            Self::NoAddress { .. } => "no-address",
            Self::Resolver { .. } => "resolver",
            Self::Redirect { .. } => "redirect",
            Self::Status { .. } => "status",
            Self::Encoding { .. } => "encoding",
            Self::Truncated => "truncated",
            Self::HeadersTooLarge { .. } => "headers-too-large",
            Self::TooManyInformational { .. } => "too-many-informational",
            Self::NotHttp => "not-http",
            Self::Tls { .. } => "tls",
            Self::Header { .. } => "header",
            Self::UrlTooLong => "url-too-long",
            Self::AllowedHost { .. } => "allowed-host",
            Self::RootCertificates => "root-certificates",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_host_has_the_innermost_cause() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let outer = io::Error::other(refused);
        let error = Error::Unreachable {
            host: "127.0.0.1:8545".to_owned(),
            source: Box::new(outer),
        };
        assert_eq!(
            error.to_string(),
            "cannot connect to 127.0.0.1:8545: connection refused"
        );
    }
}
