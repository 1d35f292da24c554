use super::support::{Backend, Gate};

#[tokio::test]
async fn malformed_requests_never_reach_the_upstream_server() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let long = "a".repeat(40_000);
    let many = "a: b\r\n".repeat(150);
    for (request, status) in [
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3, 4\r\n\r\nabcd",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +3\r\n\r\nabc",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\nabc",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0x3\r\n\r\nabc",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: x\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length : 3\r\n\r\nabc",
            400,
        ),
        ("GET / HTTP/1.1\r\nhost: a\r\nx: a\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nhost: a\r\nx: a\rb\r\n\r\n", 400),
        (
            "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n",
            400,
        ),
        (
            "GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n",
            400,
        ),
        (
            "GET / HTTP/1.1\r\nhost: user@a\r\nconnection: close\r\n\r\n",
            400,
        ),
        ("GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400),
        (
            "GET /a/../b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
            400,
        ),
        (
            "GET /a/%2e%2e/b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
            400,
        ),
        ("GET /a b HTTP/1.1\r\nhost: a\r\n\r\n", 400),
        (
            "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example:443\r\nconnection: close\r\n\r\n",
            405,
        ),
        (
            "TRACE / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
            405,
        ),
        (
            &format!("GET / HTTP/1.1\r\nhost: a\r\nx: {long}\r\n\r\n"),
            431,
        ),
        (&format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n"), 431),
        (
            &format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(70_000)),
            431,
        ),
    ] {
        let response = gate.raw(request).await;
        let start = format!("HTTP/1.1 {status} ");
        let shown = &request[..request.len().min(80)];
        // A client that still sends may see the connection closed instead of the response.
        let is_rejected = response.starts_with(&start)
            || response.starts_with(&start.replace("/1.1", "/1.0"))
            || (response.is_empty() && request.len() > 30_000);
        assert!(is_rejected, "{shown:?}\n{response}");
    }
    assert!(backend.received().is_empty(), "{:?}", backend.received());
}

/// Both headers: the chunked body counts, `Content-Length` is dropped, and the connection is closed, so that nothing after the
/// body is read as a request (RFC 9112 § 6.1).
#[tokio::test]
async fn a_second_request_cannot_hide_behind_conflicting_lengths() {
    let hidden = "GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n";
    for headers in [
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: Chunked\r\n",
    ] {
        let backend = Backend::start().await;
        let gate = Gate::start(&backend.url()).await;
        let request = format!("POST / HTTP/1.1\r\nhost: a\r\n{headers}\r\n0\r\n\r\n{hidden}");
        let response = gate.raw(request).await;
        assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{response}");
        let received = backend.only();
        assert_eq!(received.head.uri, "/");
        assert!(received.body.is_empty());
        let both = received.header("content-length").is_some()
            && received.header("transfer-encoding").is_some();
        assert!(!both, "{received:?}");
    }
}

#[tokio::test]
async fn a_chunk_with_an_invalid_size_ends_the_request() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    for chunk in [
        "0x5\r\nabcde\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "5\nabcde\r\n0\r\n\r\n",
        "ffffffffffffffff1\r\n",
    ] {
        let head = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
        let response = gate.raw(format!("{head}{chunk}")).await;
        assert!(!response.starts_with("HTTP/1.1 2"), "{chunk:?} {response}");
    }
    assert!(backend.received().is_empty());
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let response = gate
        .raw(
            "POST /1 HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc\
             GET /2 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
        )
        .await;
    assert_eq!(response.matches("HTTP/1.1 200 OK").count(), 2, "{response}");
    let paths: Vec<_> = backend
        .received()
        .iter()
        .map(|received| received.head.uri.path().to_owned())
        .collect();
    assert_eq!(paths, ["/1", "/2"]);
}

#[tokio::test]
async fn an_absolute_target_is_forwarded_to_the_configured_server_only() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let response = gate
        .raw(
            "GET http://other.example/a?b HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n",
        )
        .await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    let received = backend.only();
    assert_eq!(received.head.uri, "/a?b");
    assert_eq!(
        received.header("host"),
        Some(backend.address.to_string().as_str())
    );
    assert_eq!(received.header("x-forwarded-host"), Some("other.example"));
}

#[tokio::test]
async fn an_http_1_0_client_gets_a_response_without_chunks() {
    let backend = Backend::start().await;
    let gate = Gate::start(&backend.url()).await;
    let response = gate.raw("GET / HTTP/1.0\r\n\r\n").await;
    assert!(response.starts_with("HTTP/1.0 200"), "{response}");
    assert!(!response.contains("transfer-encoding"), "{response}");
    assert!(response.ends_with("\r\n\r\nok"), "{response}");
}
