//! What needs a seam: who is really connected to when an address is public. Nothing here leaves loopback.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Mutex,
};

use atr_loopback::{Authority, DnsAnswer, HttpsServer, NameServer};
use serde_json::Value;

use super::*;

const HOST: &str = "tools.example.com";
const URL: &str = "https://tools.example.com/x.json";

/// Connects to one server instead of the address, and writes the address down.
#[derive(Debug)]
pub(super) struct Diversion {
    to: SocketAddr,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Diversion {
    pub(super) fn of(&self, address: SocketAddr) -> SocketAddr {
        self.dialled.lock().unwrap().push(address);
        self.to
    }
}

/// A server for `HOST`, name servers that follow a script, and a door whose connections end at the server.
struct Stage {
    names: NameServer,
    server: HttpsServer,
    diversion: Arc<Diversion>,
    door: SafeHttpClient,
}

impl Stage {
    fn new(is_excepted: bool, answers: &[DnsAnswer]) -> Self {
        let authority = Authority::new();
        let server = HttpsServer::start(&authority.issue(&[HOST]));
        server.put("/x.json", "the document");
        let names = NameServer::start();
        names.script(HOST, answers);
        let diversion = Arc::new(Diversion {
            to: server.address(),
            dialled: Mutex::default(),
        });
        let exceptions = AllowedHosts {
            hosts: is_excepted
                .then(|| format!("{HOST}:443").parse().unwrap())
                .into_iter()
                .collect(),
            roots: authority.pem().into_bytes(),
        };
        let mut door = SafeHttpClient::try_new(Limits::MANIFEST, exceptions)
            .unwrap()
            .with_name_server(names.address());
        door.dialler = Dialler::Diverted(diversion.clone());
        Self {
            names,
            server,
            diversion,
            door,
        }
    }

    async fn ask(&self) -> Result<Vec<u8>, Error> {
        self.door.document(&URL.parse().unwrap()).await
    }

    fn dialled(&self) -> Vec<SocketAddr> {
        self.diversion.dialled.lock().unwrap().clone()
    }
}

fn https(address: &str) -> SocketAddr {
    let address: IpAddr = address.parse().unwrap();
    SocketAddr::new(address, 443)
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_connected_to_and_nobody_is_asked_again() {
    // J-02
    let stage = Stage::new(
        true,
        &[DnsAnswer::of(&["8.8.8.8"]), DnsAnswer::of(&["127.0.0.1"])],
    );
    assert_eq!(stage.ask().await.unwrap(), b"the document");
    assert_eq!(stage.dialled(), [https("8.8.8.8")]);
    assert_eq!(stage.names.questions_a(HOST), 1);
    assert_eq!(stage.names.questions_aaaa(HOST), 1);
}

#[tokio::test]
async fn a_name_that_turns_to_loopback_is_refused_at_the_next_request() {
    // J-02
    let stage = Stage::new(
        false,
        &[DnsAnswer::of(&["8.8.8.8"]), DnsAnswer::of(&["127.0.0.1"])],
    );
    // The server's authority is trusted for excepted hosts only, so the first request ends there.
    stage.ask().await.unwrap_err();
    assert_eq!(stage.dialled(), [https("8.8.8.8")]);
    let error = stage.ask().await.unwrap_err();
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
    assert_eq!(stage.dialled().len(), 1);
}

#[tokio::test]
async fn a_name_that_turns_public_is_asked_about_anew() {
    // J-02
    let stage = Stage::new(
        false,
        &[DnsAnswer::of(&["127.0.0.1"]), DnsAnswer::of(&["8.8.8.8"])],
    );
    let error = stage.ask().await.unwrap_err();
    assert_eq!(error.code(), "forbidden-address");
    assert_eq!(stage.dialled(), []);
    stage.ask().await.unwrap_err();
    assert_eq!(stage.dialled(), [https("8.8.8.8")]);
    assert_eq!(stage.names.questions_a(HOST), 2);
}

#[tokio::test]
async fn one_address_that_is_not_public_refuses_them_all() {
    // J-01, J-03
    for addresses in [
        &["8.8.8.8", "10.0.0.1"][..],
        &["10.0.0.1", "8.8.8.8"],
        &["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "fd00::1"],
        &["8.8.8.8", "::ffff:127.0.0.1"],
        &["8.8.8.8", "64:ff9b::7f00:1"],
        &["2606:4700:4700::1111", "::1"],
    ] {
        let stage = Stage::new(false, &[DnsAnswer::of(addresses)]);
        let error = stage.ask().await.unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{addresses:?}");
        assert!(!error.is_retryable());
        assert_eq!(stage.dialled(), [], "{addresses:?}");
    }
}

#[tokio::test]
async fn more_roots_are_trusted_for_excepted_hosts_only() {
    for is_excepted in [true, false] {
        let stage = Stage::new(is_excepted, &[DnsAnswer::of(&["8.8.8.8"])]);
        assert_eq!(stage.ask().await.is_ok(), is_excepted);
        assert_eq!(stage.server.requests().len(), usize::from(is_excepted));
    }
}

#[tokio::test]
async fn only_so_many_addresses_are_knocked_at() {
    let addresses: Vec<_> = (1..=9).map(|last| format!("8.8.8.{last}")).collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let mut stage = Stage::new(true, &[DnsAnswer::of(&addresses)]);
    let nobody = Diversion {
        to: "127.0.0.1:1".parse().unwrap(),
        dialled: Mutex::default(),
    };
    stage.diversion = Arc::new(nobody);
    stage.door.dialler = Dialler::Diverted(stage.diversion.clone());
    assert_eq!(stage.ask().await.unwrap_err().code(), "unreachable");
    assert_eq!(stage.dialled().len(), 4);
}

#[tokio::test]
async fn every_vector_is_dialled_or_refused_as_it_says() {
    // J-01, J-03
    let text = include_str!("../../../../tests/vectors/address_guard.json");
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut run = 0;
    for row in &rows {
        let address = row["address"].as_str().unwrap();
        let stage = Stage::new(false, &[DnsAnswer::of(&[address])]);
        let error = stage.ask().await.unwrap_err();
        let parsed: IpAddr = address.parse().unwrap();
        match row["expect"].as_str().unwrap() {
            "allow" => {
                let expected = SocketAddr::new(parsed.to_canonical(), 443);
                assert_eq!(stage.dialled(), [expected], "{row}");
                assert_eq!(forbidden_range(parsed), None, "{row}");
            }
            "refuse" => {
                assert_eq!(error.code(), "forbidden-address", "{row}");
                assert_eq!(stage.dialled(), [], "{row}");
            }
            other => panic!("{other}"),
        }
        run += 1;
    }
    assert_eq!((run, rows.len()), (29, 29));
}
