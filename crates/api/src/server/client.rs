//! The client of a request, and its rate limit.

use std::net::SocketAddr;

use atr_http_server::{ClientAddress, client_network};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};

use super::AppState;
use crate::rest::too_many;

/// Address of the other end of a connection. An extension of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Rejects requests of a client above its rate.
pub(super) async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>();
    if let (Some(limiter), Some(Peer(peer))) = (&state.limiter, peer) {
        let ClientAddress(client) = state.trusted_proxies.client(request.headers(), *peer);
        if let Err(seconds) = limiter.take(client_network(client)) {
            state.metrics.rate_limited();
            return too_many(seconds, "this client sends too many requests");
        }
    }
    next.run(request).await
}
