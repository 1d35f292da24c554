use super::{server_and_client, url};

#[tokio::test]
async fn fetch_document_sends_a_plain_get_request() {
    // T-36
    let (server, client) = server_and_client();
    server.put("/a%20b", "{}");
    let url = url(&format!("{}/a%20b?q=1#part", server.origin()));
    for _ in 0..2 {
        assert_eq!(client.fetch_document(&url).await.unwrap(), b"{}");
    }
    let requests = server.requests();
    assert_eq!(requests[0], requests[1]);
    let request = &requests[0];
    assert_eq!(
        (request.method.as_str(), request.target.as_str()),
        ("GET", "/a%20b?q=1")
    );
    let mut headers = request.headers.clone();
    headers.sort();
    let port = server.address().port();
    let expected = [
        ("accept", "*/*"),
        ("accept-encoding", "identity"),
        ("connection", "close"),
        ("host", &format!("localhost:{port}")),
        ("user-agent", concat!("atr/", env!("CARGO_PKG_VERSION"))),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn post_sends_body_and_headers() {
    let (server, client) = server_and_client();
    server.put("/x", "{}");
    let url = url(&format!("{}/x", server.origin()));
    let headers = [("Content-Type", "application/json"), ("X-Payment", "abc")];
    let response = client
        .post(&url, &headers, b"{\"a\":1}".to_vec())
        .await
        .unwrap();
    assert!(response.is_success());
    let request = server.requests().remove(0);
    assert_eq!(
        (request.method.as_str(), request.body),
        ("POST", b"{\"a\":1}".to_vec())
    );
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-payment", "abc"),
        ("content-length", "7"),
        ("accept-encoding", "identity"),
    ] {
        let mut found = request.headers.iter().filter(|(other, _)| other == name);
        assert_eq!(found.next().unwrap().1, value);
        assert_eq!(found.next(), None, "{name}");
    }
}

#[tokio::test]
async fn rejects_malformed_and_reserved_headers() {
    let (server, client) = server_and_client();
    let url = url(&server.origin());
    for (name, value) in [
        ("x", "SECRET\r\nhost: other"),
        ("a b", "SECRET"),
        ("", "SECRET"),
        ("Host", "SECRET"),
        ("accept-encoding", "gzip"),
        ("Content-Length", "1"),
        ("transfer-encoding", "chunked"),
        ("range", "bytes=0-1"),
        ("If-Modified-Since", "SECRET"),
        ("cookie", "SECRET"),
    ] {
        let error = client
            .post(&url, &[(name, value)], Vec::new())
            .await
            .unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), ("header", false));
        assert!(
            !format!("{error} {error:?}").contains("SECRET"),
            "{error:?}"
        );
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn errors_name_the_host_and_not_the_path() {
    let (server, client) = server_and_client();
    let port = server.address().port();
    drop(server);
    let url = url(&format!("https://localhost:{port}/SECRET?SECRET"));
    let error = client.fetch_document(&url).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot connect to localhost:{port}: connection refused")
    );
    assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
}
