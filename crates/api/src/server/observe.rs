//! Request ids, access log and metrics, around everything else.

use atr_http_server::X_REQUEST_ID;
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderValue, header};
use tokio::time::Instant;

use super::{AppState, Peer};

pub(super) async fn observe(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let peer = request.extensions().get::<Peer>();
    let is_trusted = peer.is_some_and(|Peer(peer)| state.trusted_proxies.contains(peer.ip()));
    let id = state.request_ids.id_of(request.headers(), is_trusted);
    request.headers_mut().insert(X_REQUEST_ID, id.header());
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
    tracing::debug!(%method, route, status, micros = time.as_micros(), id = id.as_str(), "request");
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
