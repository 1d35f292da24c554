//! Tests of connections to public addresses, redirected to a server on loopback.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Mutex,
};

use atr_loopback::{CertificateAuthority, DnsResponse, DnsServer, HttpsServer};
use serde_json::Value;

use super::*;

const HOST: &str = "tools.example.com";
const URL: &str = "https://tools.example.com/x.json";

/// Records every address and connects to one server instead.
#[derive(Debug)]
pub(super) struct Redirection {
    to: SocketAddr,
    connected: Mutex<Vec<SocketAddr>>,
}

impl Redirection {
    pub(super) fn record(&self, address: SocketAddr) -> SocketAddr {
        self.connected.lock().unwrap().push(address);
        self.to
    }
}

/// A server for `HOST`, a scripted DNS server, and a client whose connections are redirected to the server.
struct Fixture {
    dns: DnsServer,
    server: HttpsServer,
    redirection: Arc<Redirection>,
    client: SafeHttpClient,
}

impl Fixture {
    fn new(is_allowed: bool, answers: &[DnsResponse]) -> Self {
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&[HOST]));
        server.put("/x.json", "the document");
        let dns = DnsServer::start();
        dns.script(HOST, answers);
        let redirection = Arc::new(Redirection {
            to: server.address(),
            connected: Mutex::default(),
        });
        let allowed = AllowedHosts {
            hosts: is_allowed
                .then(|| format!("{HOST}:443").parse().unwrap())
                .into_iter()
                .collect(),
            root_certificates: authority.pem().into_bytes(),
        };
        let mut client = SafeHttpClient::try_new(Limits::MANIFEST, allowed)
            .unwrap()
            .with_name_server(dns.address());
        client.connector = Connector::Redirected(redirection.clone());
        Self {
            dns,
            server,
            redirection,
            client,
        }
    }

    async fn fetch(&self) -> Result<Vec<u8>, Error> {
        self.client.fetch_document(&URL.parse().unwrap()).await
    }

    fn connected(&self) -> Vec<SocketAddr> {
        self.redirection.connected.lock().unwrap().clone()
    }
}

fn https(address: &str) -> SocketAddr {
    let address: IpAddr = address.parse().unwrap();
    SocketAddr::new(address, 443)
}

#[tokio::test]
async fn connects_to_the_checked_address_without_a_second_lookup() {
    // J-02
    let fixture = Fixture::new(
        true,
        &[
            DnsResponse::addresses(&["8.8.8.8"]),
            DnsResponse::addresses(&["127.0.0.1"]),
        ],
    );
    assert_eq!(fixture.fetch().await.unwrap(), b"the document");
    assert_eq!(fixture.connected(), [https("8.8.8.8")]);
    assert_eq!(fixture.dns.a_queries(HOST), 1);
    assert_eq!(fixture.dns.aaaa_queries(HOST), 1);
}

#[tokio::test]
async fn rejects_a_name_that_changes_to_loopback() {
    // J-02
    let fixture = Fixture::new(
        false,
        &[
            DnsResponse::addresses(&["8.8.8.8"]),
            DnsResponse::addresses(&["127.0.0.1"]),
        ],
    );
    // The certificate authority is trusted for allowed hosts only, so the first request fails in the handshake.
    fixture.fetch().await.unwrap_err();
    assert_eq!(fixture.connected(), [https("8.8.8.8")]);
    let error = fixture.fetch().await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::ForbiddenAddress {
                range: "loopback",
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(fixture.connected().len(), 1);
}

#[tokio::test]
async fn resolves_a_name_again_for_every_request() {
    // J-02
    let fixture = Fixture::new(
        false,
        &[
            DnsResponse::addresses(&["127.0.0.1"]),
            DnsResponse::addresses(&["8.8.8.8"]),
        ],
    );
    let error = fixture.fetch().await.unwrap_err();
    assert_eq!(error.code(), "forbidden-address");
    assert_eq!(fixture.connected(), []);
    fixture.fetch().await.unwrap_err();
    assert_eq!(fixture.connected(), [https("8.8.8.8")]);
    assert_eq!(fixture.dns.a_queries(HOST), 2);
}

#[tokio::test]
async fn rejects_a_name_if_one_of_its_addresses_is_not_public() {
    // J-01, J-03
    for addresses in [
        &["8.8.8.8", "10.0.0.1"][..],
        &["10.0.0.1", "8.8.8.8"],
        &["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "fd00::1"],
        &["8.8.8.8", "::ffff:127.0.0.1"],
        &["8.8.8.8", "64:ff9b::7f00:1"],
        &["2606:4700:4700::1111", "::1"],
    ] {
        let fixture = Fixture::new(false, &[DnsResponse::addresses(addresses)]);
        let error = fixture.fetch().await.unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{addresses:?}");
        assert!(!error.is_retryable());
        assert_eq!(fixture.connected(), [], "{addresses:?}");
    }
}

#[tokio::test]
async fn one_silent_address_family_does_not_prevent_a_connection() {
    // H-07, J-02
    for address in ["8.8.8.8", "2606:4700:4700::1111"] {
        let addresses = vec![address.parse().unwrap()];
        let fixture = Fixture::new(true, &[DnsResponse::OneFamily(addresses)]);
        assert_eq!(fixture.fetch().await.unwrap(), b"the document", "{address}");
        assert_eq!(fixture.connected(), [https(address)]);
    }
    let fixture = Fixture::new(
        false,
        &[DnsResponse::OneFamily(vec!["10.0.0.1".parse().unwrap()])],
    );
    assert_eq!(
        fixture.fetch().await.unwrap_err().code(),
        "forbidden-address"
    );
    assert_eq!(fixture.connected(), []);
}

#[tokio::test]
async fn additional_root_certificates_are_trusted_for_allowed_hosts_only() {
    for is_allowed in [true, false] {
        let fixture = Fixture::new(is_allowed, &[DnsResponse::addresses(&["8.8.8.8"])]);
        assert_eq!(fixture.fetch().await.is_ok(), is_allowed);
        assert_eq!(fixture.server.requests().len(), usize::from(is_allowed));
    }
}

#[tokio::test]
async fn tries_at_most_four_addresses() {
    let addresses: Vec<_> = (1..=9).map(|last| format!("8.8.8.{last}")).collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let mut fixture = Fixture::new(true, &[DnsResponse::addresses(&addresses)]);
    let unreachable = Redirection {
        to: "127.0.0.1:1".parse().unwrap(),
        connected: Mutex::default(),
    };
    fixture.redirection = Arc::new(unreachable);
    fixture.client.connector = Connector::Redirected(fixture.redirection.clone());
    assert_eq!(fixture.fetch().await.unwrap_err().code(), "unreachable");
    assert_eq!(fixture.connected().len(), 4);
}

#[tokio::test]
async fn address_vectors_are_allowed_or_rejected() {
    // J-01, J-03
    let text = include_str!("../../../../tests/vectors/ssrf_addresses.json");
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut run = 0;
    for row in &rows {
        let address = row["address"].as_str().unwrap();
        let fixture = Fixture::new(false, &[DnsResponse::addresses(&[address])]);
        let error = fixture.fetch().await.unwrap_err();
        let parsed: IpAddr = address.parse().unwrap();
        match row["expect"].as_str().unwrap() {
            "allow" => {
                let expected = SocketAddr::new(parsed.to_canonical(), 443);
                assert_eq!(fixture.connected(), [expected], "{row}");
                assert_eq!(forbidden_range(parsed), None, "{row}");
            }
            "reject" => {
                assert_eq!(error.code(), "forbidden-address", "{row}");
                assert_eq!(fixture.connected(), [], "{row}");
            }
            other => panic!("{other}"),
        }
        run += 1;
    }
    assert_eq!((run, rows.len()), (29, 29));
}
