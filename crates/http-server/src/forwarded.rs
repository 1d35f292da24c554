//! The client of a request: forwarding headers of trusted proxies are read, those of everyone else are discarded.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue, header::FORWARDED};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Headers with which servers in front describe the client or override the request target.
const DISCARDED: [&str; 6] = [
    "x-real-ip",
    "x-original-url",
    "x-rewrite-url",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-server",
];

/// Address of the client of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// Networks of the proxies in front of the server, such as a load balancer.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    /// Whether an address is one of them.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client of a request. The headers are not changed.
    #[must_use]
    pub fn client(&self, headers: &HeaderMap, peer: SocketAddr) -> ClientAddress {
        self.first(&self.chain(headers, peer))
    }

    /// The addresses that a request came through, the peer last.
    fn chain(&self, headers: &HeaderMap, peer: SocketAddr) -> Vec<IpAddr> {
        let peer = peer.ip().to_canonical();
        let mut chain = Vec::new();
        if self.contains(peer) {
            chain = addresses(headers);
        }
        chain.push(peer);
        chain
    }

    /// The last address that is not a trusted proxy. The first one of a chain of trusted proxies only: a request of one of them, such
    /// as a health check.
    fn first(&self, chain: &[IpAddr]) -> ClientAddress {
        let client = chain.iter().rev().find(|address| !self.contains(**address));
        ClientAddress(*client.unwrap_or(&chain[0]))
    }

    /// Rewrites the forwarding headers of a request and returns the address of the client.
    ///
    /// `X-Forwarded-For` of a trusted proxy is extended by the proxy's own address, and the client is its last address that is not
    /// a trusted proxy. `Forwarded` is always derived from the result, never passed on: most proxies do not check it.
    pub fn apply(
        &self,
        headers: &mut HeaderMap,
        peer: SocketAddr,
        is_tls: bool,
        host: Option<&HeaderValue>,
    ) -> ClientAddress {
        let is_trusted = self.contains(peer.ip());
        let mut take = |name: HeaderName| {
            let value = headers.get(&name).cloned();
            headers.remove(&name);
            value.filter(|_| is_trusted)
        };
        let protocol = take(X_FORWARDED_PROTO).filter(is_protocol);
        let forwarded_host = take(X_FORWARDED_HOST).filter(is_host);
        for name in DISCARDED {
            headers.remove(name);
        }
        let chain = self.chain(headers, peer);
        let client = self.first(&chain);

        let protocol = protocol
            .unwrap_or_else(|| HeaderValue::from_static(if is_tls { "https" } else { "http" }));
        let host = forwarded_host.or_else(|| host.cloned());
        set(headers, X_FORWARDED_FOR, &join(&chain, ToString::to_string));
        set(
            headers,
            FORWARDED,
            &forwarded(&chain, &protocol, host.as_ref()),
        );
        headers.insert(X_FORWARDED_PROTO, protocol);
        if let Some(host) = host {
            headers.insert(X_FORWARDED_HOST, host);
        }
        client
    }
}

/// The addresses of `X-Forwarded-For` from the last invalid one on: what comes before it cannot be trusted.
fn addresses(headers: &HeaderMap) -> Vec<IpAddr> {
    let values = headers.get_all(X_FORWARDED_FOR).into_iter();
    let mut addresses = Vec::new();
    for entry in values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')) {
        match std::str::from_utf8(entry).ok().and_then(parse_address) {
            Some(address) => addresses.push(address),
            None => addresses.clear(),
        }
    }
    addresses
}

/// Some proxies add the port.
fn parse_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().ok();
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address = address.or_else(with_port).or_else(bracketed)?;
    Some(address.to_canonical())
}

fn is_protocol(value: &HeaderValue) -> bool {
    matches!(value.as_bytes(), b"http" | b"https")
}

fn is_host(value: &HeaderValue) -> bool {
    let text = value.to_str().ok();
    text.is_some_and(|text| text.parse::<http::uri::Authority>().is_ok() && !text.contains('@'))
}

/// RFC 7239: one element for each address; the last one has the protocol and the host.
fn forwarded(chain: &[IpAddr], protocol: &HeaderValue, host: Option<&HeaderValue>) -> String {
    let element = |address: &IpAddr| match address {
        IpAddr::V4(address) => format!("for={address}"),
        IpAddr::V6(address) => format!("for=\"[{address}]\""),
    };
    let mut text = join(chain, element);
    text += ";proto=";
    text += protocol.to_str().unwrap_or("http");
    if let Some(host) = host
        .filter(|host| is_host(host))
        .and_then(|host| host.to_str().ok())
    {
        text += &format!(";host=\"{host}\"");
    }
    text
}

fn join(chain: &[IpAddr], element: impl Fn(&IpAddr) -> String) -> String {
    let elements: Vec<_> = chain.iter().map(element).collect();
    elements.join(", ")
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The client's address, and `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded` afterwards.
    fn apply(peer: &str, sent: &[(&'static str, &'static str)]) -> (String, [String; 4]) {
        let trusted = TrustedProxies(vec![
            "10.0.0.0/8".parse().unwrap(),
            "::1/128".parse().unwrap(),
        ]);
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let host = HeaderValue::from_static("gate.example");
        let peer = SocketAddr::new(peer.parse().unwrap(), 1);
        let client = trusted.apply(&mut headers, peer, false, Some(&host));
        let text = |name: HeaderName| headers[name].to_str().unwrap().to_owned();
        let names = [
            X_FORWARDED_FOR,
            X_FORWARDED_PROTO,
            X_FORWARDED_HOST,
            FORWARDED,
        ];
        (client.0.to_string(), names.map(text))
    }

    const FORGED: [(&str, &str); 6] = [
        ("x-forwarded-for", "192.0.2.9"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "forged.example"),
        ("forwarded", "for=192.0.2.9"),
        ("x-real-ip", "192.0.2.9"),
        ("x-original-url", "/admin"),
    ];

    #[test]
    fn discards_what_an_untrusted_client_sends() {
        let (client, headers) = apply("203.0.113.5", &FORGED);
        assert_eq!(client, "203.0.113.5");
        assert_eq!(headers[..3], ["203.0.113.5", "http", "gate.example"]);
        assert_eq!(
            headers[3],
            "for=203.0.113.5;proto=http;host=\"gate.example\""
        );
    }

    #[test]
    fn extends_what_a_trusted_proxy_sends() {
        let (client, headers) = apply("10.0.0.1", &FORGED);
        assert_eq!(client, "192.0.2.9");
        assert_eq!(
            headers[..3],
            ["192.0.2.9, 10.0.0.1", "https", "forged.example"]
        );
        let forwarded = "for=192.0.2.9, for=10.0.0.1;proto=https;host=\"forged.example\"";
        assert_eq!(headers[3], forwarded);
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
        for (sent, expected) in [
            ("192.0.2.1, 198.51.100.7, 10.9.9.9", "198.51.100.7"),
            ("198.51.100.7:4711", "198.51.100.7"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            // Nothing before an invalid entry is trusted.
            ("192.0.2.1, unknown", "10.0.0.1"),
            ("unknown, 192.0.2.1", "192.0.2.1"),
            ("10.1.1.1", "10.1.1.1"),
        ] {
            let (client, _) = apply("10.0.0.1", &[("x-forwarded-for", sent)]);
            assert_eq!(client, expected, "{sent}");
            let mut headers = HeaderMap::new();
            headers.insert(X_FORWARDED_FOR, HeaderValue::from_static(sent));
            let trusted = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
            let peer = "[::ffff:10.0.0.1]:1".parse().unwrap();
            assert_eq!(trusted.client(&headers, peer).0.to_string(), expected);
        }
        let (client, headers) = apply("::ffff:203.0.113.5", &[]);
        assert_eq!(
            (client.as_str(), headers[0].as_str()),
            ("203.0.113.5", "203.0.113.5")
        );
        let (_, headers) = apply("::1", &[("x-forwarded-for", "2001:db8::1")]);
        assert!(
            headers[3].starts_with("for=\"[2001:db8::1]\", for=\"[::1]\";"),
            "{headers:?}"
        );
    }

    #[test]
    fn ignores_invalid_values_of_a_trusted_proxy() {
        let sent = [("x-forwarded-proto", "gopher"), ("x-forwarded-host", "a b")];
        let (_, headers) = apply("10.0.0.1", &sent);
        assert_eq!(headers[1..3], ["http", "gate.example"]);
    }
}
