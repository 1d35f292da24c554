//! Request ids, access log and metrics, around everything else.

use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderName, HeaderValue, header};
use tokio::time::Instant;

use super::{AppState, Peer};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is accepted from a trusted proxy.
const MAX_ID: usize = 128;

/// Creates unique ids: 128 bits from a keyed hash of a counter. The keys are random for each process.
#[derive(Debug, Default)]
pub(super) struct RequestIds {
    keys: [RandomState; 2],
    count: AtomicU64,
}

impl RequestIds {
    fn next(&self) -> HeaderValue {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [first, second] = &self.keys;
        let text = format!(
            "{:016x}{:016x}",
            first.hash_one(count),
            second.hash_one(count)
        );
        HeaderValue::try_from(text).expect("hexadecimal digits are a valid header value")
    }
}

fn is_valid(id: &HeaderValue) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(byte);
    let bytes = id.as_bytes();
    !bytes.is_empty() && bytes.len() <= MAX_ID && bytes.iter().all(is_allowed)
}

pub(super) async fn observe(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let peer = request
        .extensions()
        .get::<Peer>()
        .map(|Peer(peer)| peer.ip());
    let is_trusted = peer.is_some_and(|peer| {
        let peer = peer.to_canonical();
        state
            .trusted_proxies
            .iter()
            .any(|network| network.contains(&peer))
    });
    let sent = request
        .headers()
        .get(X_REQUEST_ID)
        .filter(|id| is_trusted && is_valid(id))
        .cloned();
    let id = sent.unwrap_or_else(|| state.request_ids.next());
    request.headers_mut().insert(X_REQUEST_ID, id.clone());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".to_owned());
    let method = request.method().clone();

    let mut response = next.run(request).await;

    let time = start.elapsed();
    let status = response.status().as_u16();
    state.metrics.request(&method, &route, status, time);
    tracing::debug!(%method, route, status, micros = time.as_micros(), id = id.to_str().unwrap_or_default(), "request");
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
