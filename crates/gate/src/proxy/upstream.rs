//! Connections to the upstream server.

use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Uri, uri::Authority};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::Verifier;
use tower::Service;
use url::Url;

use super::ProxyError;
use crate::{Body, BoxError};

/// Maximum size of a response head.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 200;

/// Idle connections are closed after this time: less than the keep-alive timeout of common servers.
const POOL_IDLE: Duration = Duration::from_secs(30);

/// TCP keep-alive finds dead peers of long streams.
const TCP_KEEPALIVE: Duration = Duration::from_secs(60);

/// URL of an upstream server: `http` or `https`, a host, and an optional base path that is prepended to request paths.
#[derive(Clone, PartialEq, Eq)]
pub struct Upstream {
    is_tls: bool,
    authority: Authority,
    /// Without a trailing slash; empty for the root.
    base_path: String,
}

impl Upstream {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// If it is not an http or https URL, or has credentials, a query or a fragment.
    pub fn parse(text: &str) -> Result<Self, ProxyError> {
        let invalid = |reason| ProxyError::Upstream { reason };
        let url = Url::parse(text).map_err(|_| invalid("not a URL"))?;
        let is_tls = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err(invalid("the scheme must be http or https")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("credentials are not supported"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("a query or fragment is not supported"));
        }
        let host = url
            .host_str()
            .ok_or_else(|| invalid("the host is missing"))?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Ok(Self {
            is_tls,
            authority: authority.parse().map_err(|_| invalid("invalid host"))?,
            base_path: url.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Host and port, for the `Host` header.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.authority.as_str()
    }

    /// URL for a request path with its query.
    pub(super) fn uri(&self, path_and_query: &str) -> Result<Uri, http::Error> {
        Uri::builder()
            .scheme(if self.is_tls { "https" } else { "http" })
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path_and_query}", self.base_path))
            .build()
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.base_path)
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upstream({self})")
    }
}

pub(super) type UpstreamClient = Client<Connector, Body>;

/// Creates a client with a connection pool. `root_certificates` (PEM) are trusted in addition to the system's.
pub(super) fn client(
    upstream: &Upstream,
    root_certificates: &[u8],
    connect_timeout: Duration,
    is_http2: bool,
) -> Result<UpstreamClient, ProxyError> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_keepalive(Some(TCP_KEEPALIVE));
    let builder = HttpsConnectorBuilder::new()
        .with_tls_config(tls_config(upstream, root_certificates)?)
        .https_or_http();
    let inner = if is_http2 {
        builder.enable_http2().wrap_connector(http)
    } else {
        builder.enable_http1().wrap_connector(http)
    };
    Ok(Client::builder(TokioExecutor::new())
        .http2_only(is_http2)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .http1_max_headers(MAX_HEADERS)
        .http2_max_header_list_size(MAX_HEAD_BYTES as u32)
        .pool_idle_timeout(POOL_IDLE)
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .build(Connector {
            inner,
            timeout: connect_timeout,
        }))
}

fn tls_config(upstream: &Upstream, root_certificates: &[u8]) -> Result<ClientConfig, ProxyError> {
    let provider: Arc<CryptoProvider> = ring::default_provider().into();
    let setup = |source: rustls::Error| ProxyError::Setup { source };
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(setup)?;
    if !upstream.is_tls {
        // Not used; a machine without root certificates can reach http upstreams.
        let builder = builder.with_root_certificates(RootCertStore::empty());
        return Ok(builder.with_no_client_auth());
    }
    let additional: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(root_certificates).collect();
    let additional = additional.map_err(|_| ProxyError::RootCertificates)?;
    if additional.is_empty() && !root_certificates.is_empty() {
        return Err(ProxyError::RootCertificates);
    }
    let verifier = Verifier::new_with_extra_roots(additional, provider).map_err(setup)?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// Connects with one timeout for DNS, TCP and TLS.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    inner: HttpsConnector<HttpConnector>,
    timeout: Duration,
}

impl Service<Uri> for Connector {
    type Response = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(self.timeout, self.inner.call(uri));
        Box::pin(async { connecting.await.map_err(|_| ConnectTimeout)? })
    }
}

/// No connection within the timeout.
#[derive(Debug, thiserror::Error)]
#[error("no connection within the timeout")]
pub(super) struct ConnectTimeout;

/// The first error of type `T` in the chain of causes.
pub(super) fn find_cause<'a, T: Error + 'static>(
    error: &'a (dyn Error + 'static),
) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepends_the_base_path_and_keeps_the_query() {
        for (upstream, expected) in [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000/a%20b?c=d&e"),
            (
                "http://127.0.0.1:3000/",
                "http://127.0.0.1:3000/a%20b?c=d&e",
            ),
            (
                "https://u.example/base/",
                "https://u.example/base/a%20b?c=d&e",
            ),
            ("https://[::1]:8/base", "https://[::1]:8/base/a%20b?c=d&e"),
        ] {
            let upstream = Upstream::parse(upstream).unwrap();
            assert_eq!(upstream.uri("/a%20b?c=d&e").unwrap().to_string(), expected);
        }
    }

    #[test]
    fn rejects_urls_that_are_not_a_server() {
        for text in [
            "",
            "localhost:3000",
            "ftp://a.example",
            "unix:/run/socket",
            "http://user:secret@a.example",
            "http://a.example/?q",
            "http://a.example/#f",
        ] {
            let error = Upstream::parse(text).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{text}");
        }
    }

    #[test]
    fn rejects_root_certificates_that_are_not_pem() {
        let upstream = Upstream::parse("https://a.example").unwrap();
        let second = Duration::from_secs(1);
        let result = client(&upstream, b"not a certificate", second, false);
        assert!(matches!(result, Err(ProxyError::RootCertificates)));
    }
}
