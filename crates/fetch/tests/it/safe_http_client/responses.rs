use atr_fetch::Limits;
use atr_loopback::Response;

use super::{code, request_with_closed_connection, request_with_script, server_and_client, url};

#[tokio::test]
async fn redirects_are_never_followed() {
    // H-06
    let (server, client) = server_and_client();
    let (mirror, _) = server_and_client();
    for page in [&server, &mirror] {
        page.put("/mirror", "the same document at another URL");
    }
    for status in [300, 301, 302, 303, 304, 305, 307, 308, 399] {
        for target in [
            "/mirror".to_owned(),
            format!("{}/mirror", server.origin()),
            format!("{}/mirror", mirror.origin()),
        ] {
            let response = Response::new(status, "").with_header("location", &target);
            server.route("/x", move |_| response.clone());
            let url = url(&format!("{}/x", server.origin()));
            let document = client.fetch_document(&url).await;
            let outcome = (document, client.post(&url, &[], Vec::new()).await);
            assert_eq!(code(&outcome), "redirect", "{status}");
            let error = outcome.0.unwrap_err();
            assert!(!error.is_retryable());
            let text = error.to_string();
            assert!(text.contains(&format!("{status} to `{target}`")), "{text}");
        }
    }
    assert_eq!((server.count("/mirror"), mirror.count("/mirror")), (0, 0));
}

#[tokio::test]
async fn a_document_requires_status_200_and_a_complete_body() {
    // H-07, H-08, T-36
    let (server, client) = server_and_client();
    let url = url(&format!("{}/x", server.origin()));
    for status in [
        201, 202, 203, 204, 206, 226, 299, 400, 401, 402, 403, 404, 410, 418, 451,
    ] {
        server.route("/x", move |_| {
            Response::new(status, if status == 204 { "" } else { "{}" })
        });
        let error = client.fetch_document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("status", false),
            "{status}"
        );
    }
    for status in [429, 500, 502, 503, 504, 599] {
        server.route("/x", move |_| Response::new(status, "{}"));
        let error = client.fetch_document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("status", true),
            "{status}"
        );
    }
    server.put("/x", "{}");
    assert_eq!(client.fetch_document(&url).await.unwrap(), b"{}");
}

#[tokio::test]
async fn post_returns_any_final_status() {
    let (server, client) = server_and_client();
    let url = url(&format!("{}/x", server.origin()));
    for status in [200, 201, 402, 404, 500] {
        server.route("/x", move |request| {
            Response::new(status, request.body.clone())
        });
        let response = client.post(&url, &[], b"body".to_vec()).await.unwrap();
        assert_eq!((response.status, response.body), (status, b"body".to_vec()));
    }
}

#[tokio::test]
async fn rejects_a_truncated_response() {
    // H-07, H-08, T-36
    for response in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"",
    ] {
        let outcome = request_with_closed_connection(Limits::MANIFEST, response).await;
        assert_eq!(code(&outcome), "truncated", "{}", response.escape_ascii());
        assert!(outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn a_body_without_a_length_requires_a_tls_close_notify() {
    // H-07, H-08
    let open_ended = b"HTTP/1.1 200 OK\r\n\r\n{}";
    let (document, _) = request_with_closed_connection(Limits::MANIFEST, open_ended).await;
    assert_eq!(document.unwrap(), b"{}");
    let outcome = super::request_with_script(Limits::MANIFEST, |connection| {
        let _ = connection.write_all(open_ended);
        let _ = connection.flush();
    })
    .await;
    assert_eq!(code(&outcome), "truncated");
}

#[tokio::test]
async fn rejects_responses_that_are_not_http() {
    // H-07
    for response in [
        &b"SSH-2.0-OpenSSH_9.6\r\n\r\n"[..],
        b"HTTP/0.9 200 OK\r\n\r\n{}",
        b"{}\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
        b"HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let outcome = request_with_closed_connection(Limits::MANIFEST, response).await;
        assert_eq!(code(&outcome), "not-http", "{}", response.escape_ascii());
        assert!(!outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn rejects_an_upgrade_and_skips_early_hints() {
    let upgrade = b"HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";
    let outcome = request_with_closed_connection(Limits::MANIFEST, upgrade).await;
    outcome.0.unwrap_err();
    outcome.1.unwrap_err();
    // 103 Early Hints precedes the final response.
    let early =
        b"HTTP/1.1 103 x\r\nlink: </y>\r\n\r\nHTTP/1.1 200 x\r\ncontent-length: 2\r\n\r\n{}";
    let (document, _) = request_with_closed_connection(Limits::MANIFEST, early).await;
    assert_eq!(document.unwrap(), b"{}");
}

#[tokio::test]
async fn rejects_more_than_8_informational_responses() {
    // J-04
    let response = |count: usize| {
        "HTTP/1.1 103 x\r\n\r\n".repeat(count) + "HTTP/1.1 200 x\r\ncontent-length: 2\r\n\r\n{}"
    };
    let (document, post) = request_with_closed_connection(Limits::MANIFEST, response(8)).await;
    assert_eq!(document.unwrap(), b"{}");
    assert_eq!(post.unwrap().body, b"{}");
    for count in [9, 200_000] {
        let outcome = request_with_closed_connection(Limits::MANIFEST, response(count)).await;
        assert_eq!(code(&outcome), "too-many-informational", "{count}");
        assert!(!outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn endless_informational_responses_are_rejected() {
    // J-04
    let outcome = request_with_script(Limits::MANIFEST, |connection| {
        while connection.write_all(b"HTTP/1.1 103 x\r\n\r\n").is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "too-many-informational");
}
