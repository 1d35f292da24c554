//! The HTTP server: everything around the routes.

mod client;
mod etag;
mod metrics;
mod observe;
mod run;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use atr_http_server::{KeyedRateLimiter, RequestIds};
use axum::{
    Router, error_handling::HandleErrorLayer, extract::DefaultBodyLimit, middleware, routing::get,
};
use http::{HeaderName, Method, StatusCode, header};
use std::net::IpAddr;
use tokio::sync::{Semaphore, watch};
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::CompressionLayer,
    cors::{Any, CorsLayer},
};

pub use atr_http_server::{RateLimit, TrustedProxies};
pub use client::Peer;
pub(crate) use client::{Client, Stream};
pub use run::{Server, ServerError};

pub(crate) use self::metrics::Metrics;
use crate::{
    Catalog, mcp,
    rest::{self, Problem, problem_response},
    web,
};

/// Largest request body: a usage report has about one KiB.
const MAX_BODY: usize = 64 * 1024;

/// Time for a request. Event streams are not affected: their response starts at once.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Followers of the event stream.
const MAX_FOLLOWERS: usize = 256;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Limits of connections.
    pub connections: atr_http_server::ServerConfig,
    /// Requests of a client address; `None`: no limit.
    pub rate_limit: Option<RateLimit>,
    /// Networks of proxies whose `X-Forwarded-For` and `X-Request-Id` are used.
    pub trusted_proxies: TrustedProxies,
    /// From where `/mcp` is used.
    pub mcp: mcp::McpAccess,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            connections: atr_http_server::ServerConfig {
                drain_timeout: Duration::from_secs(10),
                ..Default::default()
            },
            rate_limit: Some(RateLimit {
                per_second: NonZeroU32::new(50).expect("not zero"),
                burst: NonZeroU32::new(200).expect("not zero"),
            }),
            trusted_proxies: TrustedProxies::default(),
            mcp: mcp::McpAccess::default(),
        }
    }
}

/// Rates of requests.
#[derive(Debug)]
struct Limits {
    requests: KeyedRateLimiter<IpAddr>,
    access_checks: KeyedRateLimiter<IpAddr>,
    all_access_checks: KeyedRateLimiter<()>,
}

impl Limits {
    /// The limits of access checks are not configurable: they protect the nodes.
    fn new(requests: RateLimit) -> Self {
        let rate = |per_second, burst| RateLimit {
            per_second: NonZeroU32::new(per_second).expect("not zero"),
            burst: NonZeroU32::new(burst).expect("not zero"),
        };
        Self {
            requests: KeyedRateLimiter::new(requests),
            access_checks: KeyedRateLimiter::new(rate(1, 10)),
            all_access_checks: KeyedRateLimiter::new(rate(20, 60)),
        }
    }
}

/// Shared by all requests.
#[derive(Clone, Debug)]
pub(crate) struct AppState {
    pub(crate) catalog: Catalog,
    /// The last number of the change feed that the search index contains.
    pub(crate) latest: watch::Receiver<u64>,
    pub(crate) followers: Arc<Semaphore>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) streams: client::Streams,
    limits: Option<Arc<Limits>>,
    trusted_proxies: Arc<TrustedProxies>,
    request_ids: Arc<RequestIds>,
    caught_up: watch::Receiver<bool>,
}

impl AppState {
    pub(crate) fn is_caught_up(&self) -> bool {
        *self.caught_up.borrow()
    }
}

/// The whole application.
///
/// `latest` is [`crate::Follower::subscribe`]; `caught_up` becomes true when the search index first contained everything.
pub fn router(
    catalog: Catalog,
    latest: watch::Receiver<u64>,
    caught_up: watch::Receiver<bool>,
    config: &ServerConfig,
) -> Router {
    let limits = config.rate_limit.map(|limit| Arc::new(Limits::new(limit)));
    let mcp = mcp::service(catalog.clone(), &config.mcp);
    let state = AppState {
        catalog,
        latest,
        followers: Arc::new(Semaphore::new(MAX_FOLLOWERS)),
        metrics: Arc::default(),
        streams: client::Streams::default(),
        limits,
        trusted_proxies: Arc::new(config.trusted_proxies.clone()),
        request_ids: Arc::default(),
        caught_up,
    };
    let api = rest::router()
        .layer(middleware::from_fn(etag::conditional))
        .merge(web::router())
        .route_service("/mcp", mcp)
        .layer(middleware::from_fn_with_state(state.clone(), client::limit));
    Router::new()
        .merge(api)
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(rest::ready))
        .route("/metrics", get(metrics::serve))
        .fallback(|| async { not_found() })
        .method_not_allowed_fallback(|| async { method_not_allowed() })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(
            tower::ServiceBuilder::new()
                .layer(HandleErrorLayer::new(|_: tower::BoxError| async {
                    timed_out()
                }))
                .timeout(TIMEOUT),
        )
        .layer(CatchPanicLayer::custom(|_| {
            problem_response(internal_error())
        }))
        .layer(middleware::from_fn(web::error_pages))
        .layer(CompressionLayer::new())
        .layer(cors())
        .layer(middleware::from_fn_with_state(
            state.clone(),
            observe::observe,
        ))
        .with_state(state)
}

fn cors() -> CorsLayer {
    let exposed = ["etag", "retry-after", "x-request-id"].map(HeaderName::from_static);
    let allowed = [
        "content-type",
        "if-none-match",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "x-api-key",
    ]
    .map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers(allowed)
        .expose_headers(exposed)
        .max_age(Duration::from_secs(3600))
}

fn not_found() -> axum::response::Response {
    let detail = "there is no such path; /api/openapi.json lists them";
    problem_response(Problem::new(
        StatusCode::NOT_FOUND,
        "path-not-found",
        detail,
    ))
}

fn method_not_allowed() -> axum::response::Response {
    let detail = "the path exists, but not with this method; /api/openapi.json lists them";
    problem_response(Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
        detail,
    ))
}

fn timed_out() -> axum::response::Response {
    let detail = "the request took too long";
    let mut response = problem_response(Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "timeout",
        detail,
    ));
    response.headers_mut().insert(header::RETRY_AFTER, 5.into());
    response
}

fn internal_error() -> Problem {
    let detail = "the server failed; report the request id";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-error", detail)
}
