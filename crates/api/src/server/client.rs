//! The client of a request, and its rate limit.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use governor::clock::{Clock, DefaultClock};
use http::HeaderMap;
use ipnet::IpNet;

use super::AppState;
use crate::rest::too_many;

/// Clients that are remembered; beyond it, idle ones are forgotten.
const MAX_CLIENTS: usize = 50_000;

/// Address of the other end of a connection. An extension of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The last address of `X-Forwarded-For` that is not a trusted proxy, if the peer is one; otherwise the peer.
pub(super) fn address(headers: &HeaderMap, peer: IpAddr, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let peer = peer.to_canonical();
    if !is_trusted(&peer) {
        return peer;
    }
    let values = headers.get_all("x-forwarded-for").iter();
    let mut chain = Vec::new();
    for entry in values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')) {
        match std::str::from_utf8(entry).ok().and_then(parse) {
            Some(address) => chain.push(address),
            // What comes before an invalid entry cannot be trusted.
            None => chain.clear(),
        }
    }
    chain
        .into_iter()
        .rev()
        .find(|address| !is_trusted(address))
        .unwrap_or(peer)
}

fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().ok();
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    Some(address.or_else(with_port)?.to_canonical())
}

/// One key for all addresses of an IPv6 network of 64 bits: a client has all of them.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        v4 => v4,
    }
}

/// Rejects requests of a client above its rate.
pub(super) async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let peer = request
        .extensions()
        .get::<Peer>()
        .map(|Peer(peer)| peer.ip());
    if let (Some(limiter), Some(peer)) = (&state.limiter, peer) {
        let client = network(address(request.headers(), peer, &state.trusted_proxies));
        if limiter.len() > MAX_CLIENTS {
            limiter.retain_recent();
        }
        if let Err(until) = limiter.check_key(&client) {
            let wait = until.wait_time_from(DefaultClock::default().now());
            state.metrics.rate_limited();
            return too_many(wait.as_secs() + 1, "this client sends too many requests");
        }
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_addresses_count_from_trusted_proxies_only() {
        let trusted: [IpNet; 1] = ["10.0.0.0/8".parse().unwrap()];
        let client = |peer: &str, forwarded: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            address(&headers, peer.parse().unwrap(), &trusted).to_string()
        };
        assert_eq!(client("203.0.113.5", "192.0.2.1"), "203.0.113.5");
        assert_eq!(
            client("10.0.0.1", "192.0.2.1, 198.51.100.7, 10.2.3.4"),
            "198.51.100.7"
        );
        assert_eq!(client("10.0.0.1", "192.0.2.1, nonsense"), "10.0.0.1");
        assert_eq!(client("::ffff:10.0.0.1", "[2001:db8::1]:80"), "2001:db8::1");
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let key = |text: &str| network(text.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
    }
}
