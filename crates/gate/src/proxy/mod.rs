//! The reverse proxy: a tower service that forwards requests to an upstream server.
//!
//! Bodies stream in both directions, with trailers. Hop-by-hop headers are removed in both directions. A failure is a JSON
//! response with status 502 or 504 and a stable code; an upstream failure in the middle of a response aborts the response.

mod failure;
mod headers;
pub(crate) mod transfer;
mod tunnel;
mod upstream;

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use atr_http_server::{Drain, RequestId};
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version,
    header::{CONNECTION, CONTENT_LENGTH, HOST, TE, UPGRADE},
    request::Parts,
};
use http_body::Body as _;
use hyper::{body::Incoming, upgrade::OnUpgrade};
use tower::Service;

pub use upstream::Upstream;

use self::{
    failure::Failure,
    transfer::{Upload, UploadFailure},
    upstream::UpstreamClient,
};
use crate::{Body, body::full};

/// The only protocol that a client can switch to. In particular not `h2c`, which would bypass the gate.
const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// Settings of a [`Proxy`].
#[derive(Clone, Debug)]
pub struct ProxyConfig {
    /// The server that requests are forwarded to.
    pub upstream: Upstream,
    /// `Host` of forwarded requests.
    pub host: HostPolicy,
    /// Use HTTP/2 towards the upstream server, except for WebSocket: by ALPN for https, with prior knowledge for http.
    pub http2: bool,
    /// Root certificates in PEM that are trusted in addition to the system's, for https.
    pub root_certificates: Vec<u8>,
    /// Removed from the start of request paths.
    pub strip_prefix: Option<String>,
    /// Time for DNS, TCP and TLS together.
    pub connect_timeout: Duration,
    /// Time from the end of the request, or its last progress, to the head of the response.
    pub response_timeout: Duration,
    /// Longest pause within a request body, a response body or a tunnel.
    pub idle_timeout: Duration,
    /// Maximum size of a request body.
    pub max_request_bytes: u64,
    /// How often a request is sent again, if its method is idempotent, it has no body, and no byte of a response arrived.
    pub retries: u32,
}

impl ProxyConfig {
    /// The default settings.
    #[must_use]
    pub const fn new(upstream: Upstream) -> Self {
        Self {
            upstream,
            host: HostPolicy::Upstream,
            http2: false,
            root_certificates: Vec::new(),
            strip_prefix: None,
            connect_timeout: Duration::from_secs(5),
            response_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(120),
            max_request_bytes: 10 << 20,
            retries: 1,
        }
    }
}

/// `Host` of forwarded requests. The original host is in `X-Forwarded-Host` either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostPolicy {
    /// Host and port of the upstream URL.
    #[default]
    Upstream,
    /// The host that the client sent.
    Preserve,
}

/// A proxy cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// Omits the URL, which can contain credentials.
    #[error("invalid upstream URL: {reason}")]
    Upstream {
        /// The rule that the URL breaks.
        reason: &'static str,
    },
    /// The additional root certificates are not PEM.
    #[error("cannot parse the root certificates")]
    RootCertificates,
    /// The authority of an HTTP/2 request is also the address that is connected to.
    #[error("the host cannot be preserved over HTTP/2")]
    HostOverHttp2,
    /// TLS is not available on this machine.
    #[error("cannot set up TLS")]
    Setup {
        /// The cause.
        source: rustls::Error,
    },
}

/// Forwards requests to one upstream server. Clones share the connection pool.
#[derive(Clone, Debug)]
pub struct Proxy {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    config: ProxyConfig,
    client: UpstreamClient,
    /// For WebSocket; the same as `client` unless that uses HTTP/2.
    http1: UpstreamClient,
}

impl Proxy {
    /// Creates a proxy. Connections are made when requests arrive.
    ///
    /// # Errors
    ///
    /// If the settings are invalid or TLS is not available.
    pub fn try_new(config: ProxyConfig) -> Result<Self, ProxyError> {
        if config.http2 && config.host == HostPolicy::Preserve {
            return Err(ProxyError::HostOverHttp2);
        }
        let client = |is_http2| {
            let roots = &config.root_certificates;
            upstream::client(&config.upstream, roots, config.connect_timeout, is_http2)
        };
        let http1 = client(false)?;
        let client = if config.http2 {
            client(true)?
        } else {
            http1.clone()
        };
        Ok(Self {
            shared: Arc::new(Shared {
                config,
                client,
                http1,
            }),
        })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &ProxyConfig {
        &self.shared.config
    }
}

impl Service<Request<Body>> for Proxy {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = self.shared.clone();
        Box::pin(async move { Ok(shared.handle(request).await) })
    }
}

impl Shared {
    async fn handle(&self, request: Request<Body>) -> Response<Body> {
        let id = request.extensions().get::<RequestId>().cloned();
        match self.forward(request).await {
            Ok(response) => response,
            Err(failure) => {
                // The client sees the code only.
                let error: &dyn std::error::Error = &failure;
                tracing::warn!(
                    request_id = id.as_ref().map(RequestId::as_str),
                    error,
                    upstream = %self.config.upstream,
                    "cannot forward the request"
                );
                failure.response()
            }
        }
    }

    async fn forward(&self, mut request: Request<Body>) -> Result<Response<Body>, Failure> {
        let limit = self.config.max_request_bytes;
        if request.body().size_hint().lower() > limit {
            return Err(UploadFailure::TooLarge.into());
        }
        let client_upgrade = is_websocket(&request).then(|| hyper::upgrade::on(&mut request));
        let drain = request.extensions().get::<Drain>().cloned();
        let (parts, body) = request.into_parts();
        let head = self.upstream_head(parts, client_upgrade.is_some())?;

        let is_repeatable =
            body.is_end_stream() && head.method().is_idempotent() && client_upgrade.is_none();
        let spare = is_repeatable.then(|| head.clone());
        let upload = Upload::new();
        let body = transfer::request_body(body, limit, self.config.idle_timeout, upload.clone());
        let mut attempt = self.send(head.map(|()| body), &upload).await;
        for _ in 0..self.config.retries {
            match (&attempt, &spare) {
                (Err(failure), Some(spare)) if failure.is_retryable() => {
                    tracing::debug!(error = %failure, "sending the request again");
                    let again = spare.clone().map(|()| full(""));
                    attempt = self.send(again, &upload).await;
                }
                _ => break,
            }
        }
        self.respond(attempt?, client_upgrade, drain.unwrap_or_default())
    }

    /// Sends one request and waits for the head of the response.
    async fn send(
        &self,
        request: Request<Body>,
        upload: &Upload,
    ) -> Result<Response<Incoming>, Failure> {
        upload.advance();
        let client = if request.headers().contains_key(UPGRADE) {
            &self.http1
        } else {
            &self.client
        };
        tokio::select! {
            sent = client.request(request) => match (sent, upload.failure()) {
                (Ok(response), _) => Ok(response),
                (Err(_), Some(failure)) => Err(failure.into()),
                (Err(error), None) => Err(Failure::new(error)),
            },
            () = upload.quiet_for(self.config.response_timeout) => Err(Failure::Timeout),
        }
    }

    /// The head of the request to the upstream server.
    fn upstream_head(&self, parts: Parts, is_upgrade: bool) -> Result<Request<()>, Failure> {
        let target = parts
            .uri
            .path_and_query()
            .map_or("/", |target| target.as_str());
        let target = match &self.config.strip_prefix {
            Some(prefix) => strip_prefix(target, prefix),
            None => target.to_owned(),
        };
        let uri = self.config.upstream.uri(&target);
        let mut head = Request::new(());
        *head.method_mut() = parts.method;
        *head.uri_mut() = uri.map_err(|_| Failure::InvalidRequest)?;
        *head.version_mut() = if self.config.http2 && !is_upgrade {
            Version::HTTP_2
        } else {
            Version::HTTP_11
        };
        let mut map = parts.headers;
        let wants_trailers = headers::has_token(&map, &TE, "trailers");
        headers::remove_hop_by_hop(&mut map);
        // Set by the client from the body, which can be shorter than announced only if the request fails.
        map.remove(CONTENT_LENGTH);
        self.set_host(&mut map, &parts.uri)?;
        if wants_trailers {
            map.insert(TE, HeaderValue::from_static("trailers"));
        }
        if is_upgrade {
            map.insert(UPGRADE, WEBSOCKET);
            map.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        } else if wants_trailers && !self.config.http2 {
            map.insert(CONNECTION, HeaderValue::from_static("te"));
        }
        *head.headers_mut() = map;
        Ok(head)
    }

    fn set_host(&self, map: &mut HeaderMap, uri: &Uri) -> Result<(), Failure> {
        match self.config.host {
            // The client takes the authority from the URL.
            HostPolicy::Upstream => {
                map.remove(HOST);
            }
            HostPolicy::Preserve => {
                // HTTP/2 clients send the host as part of the URI.
                if let Some(authority) = uri.authority() {
                    let host = HeaderValue::from_str(authority.as_str());
                    map.insert(HOST, host.map_err(|_| Failure::InvalidRequest)?);
                }
            }
        }
        Ok(())
    }

    /// The response to the client.
    fn respond(
        &self,
        mut response: Response<Incoming>,
        client_upgrade: Option<OnUpgrade>,
        drain: Drain,
    ) -> Result<Response<Body>, Failure> {
        let idle = self.config.idle_timeout;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            let client_upgrade = client_upgrade.ok_or(Failure::UnexpectedUpgrade)?;
            if !is_websocket_header(response.headers()) {
                return Err(Failure::UnexpectedUpgrade);
            }
            let upstream_upgrade = hyper::upgrade::on(&mut response);
            drain.spawn(tunnel::run(
                client_upgrade,
                upstream_upgrade,
                idle,
                drain.clone(),
            ));
            let (mut parts, _) = response.into_parts();
            headers::remove_hop_by_hop(&mut parts.headers);
            parts.headers.insert(UPGRADE, WEBSOCKET);
            parts
                .headers
                .insert(CONNECTION, HeaderValue::from_static("upgrade"));
            return Ok(head_to_client(parts, full("")));
        }
        let (mut parts, body) = response.into_parts();
        headers::remove_hop_by_hop(&mut parts.headers);
        Ok(head_to_client(
            parts,
            transfer::with_idle_timeout(body, idle),
        ))
    }
}

/// Extensions and version belong to the connection to the upstream server.
fn head_to_client(parts: http::response::Parts, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = parts.status;
    *response.headers_mut() = parts.headers;
    response
}

/// Whether the client asks to switch to WebSocket, over HTTP/1.1.
fn is_websocket(request: &Request<Body>) -> bool {
    request.method() == Method::GET
        && request.version() == Version::HTTP_11
        && headers::has_token(request.headers(), &CONNECTION, "upgrade")
        && is_websocket_header(request.headers())
        && request.extensions().get::<OnUpgrade>().is_some()
}

fn is_websocket_header(headers: &HeaderMap) -> bool {
    let values = headers.get_all(UPGRADE);
    let mut values = values.into_iter();
    let first = values.next().map(HeaderValue::as_bytes);
    first.is_some_and(|value| value.eq_ignore_ascii_case(b"websocket")) && values.next().is_none()
}

/// Removes whole path segments from the start of a path.
fn strip_prefix(target: &str, prefix: &str) -> String {
    match target.strip_prefix(prefix.trim_end_matches('/')) {
        Some(rest) if rest.starts_with('/') => rest.to_owned(),
        Some(rest) if rest.is_empty() || rest.starts_with('?') => format!("/{rest}"),
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_whole_segments_only() {
        for (target, prefix, expected) in [
            ("/tool/a?b", "/tool", "/a?b"),
            ("/tool", "/tool", "/"),
            ("/tool?b", "/tool/", "/?b"),
            ("/tools/a", "/tool", "/tools/a"),
            ("/other", "/tool", "/other"),
        ] {
            assert_eq!(strip_prefix(target, prefix), expected, "{target} {prefix}");
        }
    }

    #[test]
    fn the_host_cannot_be_preserved_over_http2() {
        let mut config = ProxyConfig::new(Upstream::parse("http://a.example").unwrap());
        config.http2 = true;
        config.host = HostPolicy::Preserve;
        assert!(matches!(
            Proxy::try_new(config),
            Err(ProxyError::HostOverHttp2)
        ));
    }
}
