//! The client of a request, and its rate limit.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use atr_http_server::{ClientAddress, client_network};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use url::form_urlencoded;

use super::AppState;
use crate::rest::too_many;

/// Address of the other end of a connection. An extension of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Streams of a client at once.
const MAX_STREAMS: usize = 8;

/// Open streams by client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// An open stream; closed when dropped.
#[derive(Debug)]
pub(crate) struct Stream {
    streams: Streams,
    client: IpAddr,
}

impl Streams {
    /// `None` if the client has too many.
    pub(crate) fn open(&self, client: IpAddr) -> Option<Stream> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = streams.entry(client).or_default();
        if *count == MAX_STREAMS {
            return None;
        }
        *count += 1;
        Some(Stream {
            streams: self.clone(),
            client,
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let streams = self.streams.0.lock();
        let mut streams = streams.unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = streams.entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// The client of a request: an extension of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub(crate) IpAddr);

/// Rejects requests of a client above its rate. Access checks have a rate of their own, because each needs many calls of a node.
pub(super) async fn limit(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() else {
        return next.run(request).await;
    };
    let ClientAddress(client) = state.trusted_proxies.client(request.headers(), peer);
    let client = client_network(client);
    request.extensions_mut().insert(Client(client));
    if let Some(limits) = &state.limits {
        let query = request.uri().query().unwrap_or_default();
        // Names can be percent-encoded.
        let mut parameters = form_urlencoded::parse(query.as_bytes());
        let checks_access = parameters.any(|(name, _)| name == "callable_by");
        let mut taken = limits.requests.take(client);
        if checks_access && taken.is_ok() {
            taken = limits.access_checks.take(client);
            taken = taken.and_then(|()| limits.all_access_checks.take(()));
        }
        if let Err(seconds) = taken {
            state.metrics.rate_limited();
            return too_many(seconds, "this client sends too many requests");
        }
    }
    next.run(request).await
}
