//! What a server responds with: health, documents, preflight requests, and routes to tools.

use std::{collections::BTreeMap, convert::Infallible, fmt, future::Future, pin::Pin, sync::Arc};

use atr_http_server::{Connection, X_REQUEST_ID};
use atr_ids::Slug;
use atr_manifest::Document;
use http::{
    HeaderValue, Method, Request, Response, StatusCode, Uri, Version,
    header::{CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN},
    uri::{Authority, PathAndQuery},
};
use hyper::body::Incoming;
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use super::{
    Cors, Shared, TrustedProxies,
    access_log::AccessLog,
    document::JsonDocument,
    path::{PathError, Routes},
};
use crate::{
    Body, body::full, context::remove_tool_headers, problem::problem,
    proxy::transfer::with_idle_timeout, request_headers,
};

const HEALTH: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// A service behind a route: usually the gate layer around a proxy.
pub type RouteService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Readiness and metrics of what a server depends on.
pub trait Monitor: Send + Sync + fmt::Debug {
    /// Why requests cannot be served now; empty if they can.
    fn problems(&self) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>>;

    /// Metrics in the text format of Prometheus, each ending with a newline.
    fn metrics(&self) -> String;
}

/// What a server responds with. Immutable: a reload replaces it as a whole.
#[derive(Debug, Default)]
pub struct App {
    documents: BTreeMap<String, JsonDocument>,
    routes: Routes<RouteService>,
    cors: Cors,
    trusted_proxies: TrustedProxies,
    hosts: Option<Vec<Authority>>,
    monitor: Option<Arc<dyn Monitor>>,
    is_behind_gate: bool,
}

/// An invalid combination of documents and routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// Slugs are unique within an origin.
    #[error("two tools have the slug `{slug}`")]
    DuplicateSlug {
        /// The slug of both tools.
        slug: Slug,
    },
    /// Two services for one path.
    #[error("two routes have the path {path}")]
    DuplicateRoute {
        /// The path, possibly in another letter case.
        path: String,
    },
    /// The server answers these paths itself, or they are not paths.
    #[error("{path} cannot be a route")]
    InvalidRoute {
        /// The path.
        path: String,
    },
}

impl App {
    /// An app without routes.
    #[must_use]
    pub fn new(cors: Cors, trusted_proxies: TrustedProxies) -> Self {
        Self {
            cors,
            trusted_proxies,
            ..Self::default()
        }
    }

    /// For a server behind a gate: keeps the `X-Tool-*` headers of requests, which the gate has set. Only the gate may reach it.
    #[must_use]
    pub const fn behind_gate(mut self) -> Self {
        self.is_behind_gate = true;
        self
    }

    /// Rejects requests for other hosts (421), except for health and metrics.
    #[must_use]
    pub fn with_hosts(mut self, hosts: Vec<Authority>) -> Self {
        self.hosts = Some(hosts);
        self
    }

    /// Serves `/healthz`, `/readyz` and `/metrics`.
    #[must_use]
    pub fn with_monitor(mut self, monitor: Arc<dyn Monitor>) -> Self {
        self.monitor = Some(monitor);
        self
    }

    /// Serves a manifest at its well-known path, byte for byte.
    ///
    /// # Errors
    ///
    /// If another tool has the slug (G-09).
    pub fn add_manifest(&mut self, slug: &Slug, manifest: &Document) -> Result<(), AppError> {
        let path = format!("/.well-known/ai-tool/{slug}.json");
        let bytes = manifest.text().to_owned().into_bytes();
        let tag = manifest.hash().to_string();
        let document = JsonDocument::new(bytes, &tag);
        match self.documents.insert(path, document) {
            None => Ok(()),
            Some(_) => Err(AppError::DuplicateSlug { slug: slug.clone() }),
        }
    }

    /// Serves a JSON document; `tag` identifies its content.
    pub fn add_document(&mut self, path: &str, bytes: Vec<u8>, tag: &str) {
        self.documents
            .insert(path.to_owned(), JsonDocument::new(bytes, tag));
    }

    /// Adds a service for a path and all paths below it.
    ///
    /// # Errors
    ///
    /// If the path has a service, or cannot have one.
    pub fn add_route<S>(&mut self, path: &str, service: S) -> Result<(), AppError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let path = path.to_owned();
        let is_health = HEALTH.contains(&path.trim_end_matches('/'));
        // The path must be found by its own route, which excludes dot segments and encoded letters.
        let mut alone = Routes::default();
        alone.insert(&path, ());
        let is_path = path.starts_with('/') && !path.contains(['?', '#']);
        if is_health || !is_path || !matches!(alone.find(&path), Ok(Some(()))) {
            return Err(AppError::InvalidRoute { path });
        }
        if !self.routes.insert(&path, RouteService::new(service)) {
            return Err(AppError::DuplicateRoute { path });
        }
        Ok(())
    }

    /// Adds a service without a gate, as [`Self::add_route`] does. It gets no credentials of gates: they are valid at other paths.
    ///
    /// # Errors
    ///
    /// If the path has a service, or cannot have one.
    pub fn add_open_route<S>(&mut self, path: &str, service: S) -> Result<(), AppError>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let without_credentials = |mut request: Request<Body>| {
            request_headers::remove_credentials(request.headers_mut());
            request
        };
        self.add_route(path, service.map_request(without_credentials))
    }

    /// Responds to a request of a client.
    pub(super) async fn handle(
        &self,
        request: Request<Incoming>,
        server: &Shared,
        connection: &Connection,
    ) -> Response<Body> {
        // The gate can read the body before a proxy does, so its pauses are limited here.
        let mut request = request.map(|body| with_idle_timeout(body, server.idle_timeout));
        let host = effective_host(&request);
        let is_proxied = self.trusted_proxies.contains(connection.peer.ip());
        let id = server.request_ids.id_of(request.headers(), is_proxied);

        let headers = request.headers_mut();
        let host_header = host
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .map(header_value);
        let client = self.trusted_proxies.apply(
            headers,
            connection.peer,
            connection.is_tls,
            host_header.as_ref(),
        );
        request_headers::remove_lookalikes(headers);
        if !self.is_behind_gate {
            remove_tool_headers(headers);
        }
        headers.insert(X_REQUEST_ID, id.header());
        if let Some(host) = host_header {
            headers.insert(HOST, host);
        }
        let origin = headers.get(ORIGIN).cloned();
        let log = AccessLog::new(
            &request,
            id.clone(),
            client,
            server.metrics.clone(),
            connection.begin_request(),
        );
        let extensions = request.extensions_mut();
        extensions.insert(client);
        extensions.insert(id.clone());
        extensions.insert(connection.drain.clone());

        let mut response = match host {
            Ok(host) => {
                self.respond(request, host.as_ref(), server, connection)
                    .await
            }
            Err(message) => problem(StatusCode::BAD_REQUEST, "invalid_request", message),
        };
        let headers = response.headers_mut();
        self.cors.expose(origin.as_ref(), headers);
        headers.insert(X_REQUEST_ID, id.header());
        log.attach(response)
    }

    async fn respond(
        &self,
        mut request: Request<Body>,
        host: Option<&Authority>,
        server: &Shared,
        connection: &Connection,
    ) -> Response<Body> {
        let target = request.uri().path_and_query().cloned();
        let target = target.unwrap_or_else(|| PathAndQuery::from_static("/"));
        *request.uri_mut() = Uri::from(target.clone());
        let path = target.path();
        // TRACE would show headers that the gate has set; CONNECT is for forward proxies.
        if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
            let message = "the method is not supported";
            return problem(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                message,
            );
        }
        if let Some(response) = self.health(path, server, connection).await {
            return response;
        }
        if self
            .hosts
            .as_ref()
            .is_some_and(|hosts| !host.is_some_and(|host| hosts.contains(host)))
        {
            let message = "the server is not responsible for this host";
            return problem(StatusCode::MISDIRECTED_REQUEST, "unknown_host", message);
        }
        if let Some(response) = self.cors.preflight(&request) {
            return response;
        }
        if let Some(document) = self.documents.get(path) {
            return document.respond(&request);
        }
        match self.routes.find(path) {
            Ok(Some(service)) => match call(service, request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
            Ok(None) => problem(StatusCode::NOT_FOUND, "not_found", "no tool at this path"),
            Err(error) => invalid_path(error),
        }
    }

    async fn health(
        &self,
        path: &str,
        server: &Shared,
        connection: &Connection,
    ) -> Option<Response<Body>> {
        let monitor = self.monitor.as_ref()?;
        match path {
            "/healthz" => Some(text_response("ok\n".to_owned())),
            "/readyz" => {
                let mut problems = monitor.problems().await;
                if connection.drain.is_closing() {
                    problems.push("the server is shutting down".to_owned());
                }
                if problems.is_empty() {
                    return Some(text_response("ready\n".to_owned()));
                }
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Some(problem(status, "not_ready", &problems.join("; ")))
            }
            "/metrics" => {
                let text = server.metrics.render() + &monitor.metrics();
                let mut response = text_response(text);
                let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
                response.headers_mut().insert(CONTENT_TYPE, format);
                Some(response)
            }
            _ => None,
        }
    }
}

/// Outside of `async` code, where the compiler does not find the implementation of `Service`.
fn call(
    service: &RouteService,
    request: Request<Body>,
) -> Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>> {
    Box::pin(service.clone().oneshot(request))
}

fn text_response(text: String) -> Response<Body> {
    let mut response = Response::new(full(text));
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, plain);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn invalid_path(error: PathError) -> Response<Body> {
    problem(StatusCode::BAD_REQUEST, "invalid_path", &error.to_string())
}

/// The host that a request is for. An absolute URL overrides the `Host` header (RFC 9112 § 3.2.2).
fn effective_host(request: &Request<Body>) -> Result<Option<Authority>, &'static str> {
    let mut hosts = request.headers().get_all(HOST).into_iter();
    let header = hosts.next().map(HeaderValue::as_bytes);
    if hosts.next().is_some() {
        return Err("more than one Host header");
    }
    let authority = request.uri().authority();
    let host = match (authority, header) {
        (Some(authority), Some(header))
            if request.version() == Version::HTTP_2
                && !header.eq_ignore_ascii_case(authority.as_str().as_bytes()) =>
        {
            return Err("the Host header differs from :authority");
        }
        (Some(authority), _) => Some(authority.clone()),
        (None, Some(header)) => {
            let host = Authority::try_from(header);
            Some(host.map_err(|_| "the Host header is invalid")?)
        }
        (None, None) if request.version() == Version::HTTP_11 => {
            return Err("the Host header is missing");
        }
        (None, None) => None,
    };
    match host {
        Some(host) if host.as_str().contains('@') => Err("the host is invalid"),
        host => Ok(host),
    }
}

fn header_value(host: &Authority) -> HeaderValue {
    HeaderValue::from_str(host.as_str()).unwrap_or_else(|_| HeaderValue::from_static(""))
}
