use std::{net::TcpListener, time::Duration};

use alloy_primitives::Address;
use atr_loopback::{Action, Anvil, RpcProxy};
use atr_rpc::{Endpoints, Error, Node};

fn connect(urls: &[&str], send_url: Option<&str>, timeout: Duration) -> Node {
    Node::try_new(Endpoints {
        urls: urls.iter().map(|url| url.parse().unwrap()).collect(),
        send_url: send_url.map(|url| url.parse().unwrap()),
        headers: vec![("X-Api-Key".to_owned(), "secret".to_owned())],
        timeout,
    })
    .unwrap()
}

/// A URL on which nothing listens.
fn refused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

const LONG: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread")]
async fn uses_the_next_url_if_one_fails() {
    let anvil = Anvil::start();
    let limited = RpcProxy::start(&anvil.url, |_| Action::HttpStatus(401));
    let silent = RpcProxy::start(&anvil.url, |_| Action::Hold);
    let refused = refused();
    for broken in [refused.as_str(), &limited.url] {
        let node = connect(&[broken, &anvil.url], None, LONG);
        assert_eq!(node.chain_id(None).await.unwrap(), 31337);
    }
    let node = connect(
        &[&silent.url, &anvil.url],
        None,
        Duration::from_millis(1500),
    );
    assert_eq!(node.chain_id(None).await.unwrap(), 31337);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_connection_is_reported_at_once() {
    // With retries until the timeout of ten minutes, the test would not end.
    let node = connect(&[&refused()], None, LONG);
    let error = node.chain_id(None).await.unwrap_err();
    assert!(matches!(error, Error::Node { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_end_with_the_timeout() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |_| Action::HttpStatus(503));
    let node = connect(&[&proxy.url], None, Duration::from_secs(1));
    node.chain_id(None).await.unwrap_err();
    // At 0, 150 and 450 ms; the next retry would be after the timeout.
    assert!((2..=3).contains(&proxy.counts()["eth_chainId"]));
    let silent = RpcProxy::start(&anvil.url, |_| Action::Hold);
    let node = connect(&[&silent.url], None, Duration::from_secs(1));
    node.chain_id(None).await.unwrap_err();
    assert!(silent.counts()["eth_chainId"] <= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn signed_transactions_go_to_their_own_url_with_the_headers() {
    let anvil = Anvil::start();
    let reads = RpcProxy::start(&anvil.url, |_| Action::Forward);
    let relay = RpcProxy::start(&anvil.url, |_| Action::Forward);
    let node = connect(&[&reads.url], Some(&relay.url), LONG);
    node.balance(Address::ZERO).await.unwrap();
    // Not a transaction: the relay rejects it.
    node.send_raw(&[1]).await.unwrap_err();
    assert_eq!(reads.methods(), ["eth_getBalance"]);
    assert_eq!(relay.methods(), ["eth_sendRawTransaction"]);
    for request in [reads.requests(), relay.requests()].concat() {
        let key = ("x-api-key".to_owned(), "secret".to_owned());
        assert!(request.headers.contains(&key), "{request:?}");
    }
    assert!(!format!("{node:?}").contains("secret"));
}

#[test]
fn rejects_a_malformed_header() {
    let node = Node::try_new(Endpoints {
        urls: Vec::new(),
        send_url: None,
        headers: vec![("a b".to_owned(), "secret".to_owned())],
        timeout: LONG,
    });
    let error = node.unwrap_err().to_string();
    assert!(
        error.contains("a b") && !error.contains("secret"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_a_rate_limit_in_a_valid_response() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |request| match request.nth {
        1 => Action::Fail("rate limit exceeded"),
        _ => Action::Forward,
    });
    let node = connect(&[&proxy.url], None, LONG);
    assert_eq!(node.chain_id(None).await.unwrap(), 31337);
    assert_eq!(proxy.counts()["eth_chainId"], 2);
}
