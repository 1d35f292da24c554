use atr_fetch::{Error, Limits};

use super::{
    SHORT, code, request_with_closed_connection, request_with_open_connection, request_with_script,
};

/// Small body limit with a long timeout.
const SMALL_BODY: Limits = Limits {
    max_body_bytes: SHORT.max_body_bytes,
    ..Limits::MANIFEST
};

fn chunked(body: &str) -> String {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
}

#[tokio::test]
async fn accepts_a_body_at_the_limit_and_rejects_one_byte_more() {
    // I-02, J-04
    for (length, is_read) in [(1024, true), (1025, false)] {
        let body = "x".repeat(length);
        let with_length = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
        let without_length = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        for (response, error_code) in [
            (with_length, "content-length-too-large"),
            (chunked(&body), "too-large"),
            (without_length, "too-large"),
        ] {
            let outcome = request_with_closed_connection(SMALL_BODY, response).await;
            if is_read {
                assert_eq!(outcome.0.unwrap().len(), length);
                assert_eq!(outcome.1.unwrap().body.len(), length);
            } else {
                assert_eq!(code(&outcome), error_code);
                assert!(!outcome.0.unwrap_err().is_retryable());
            }
        }
    }
}

#[tokio::test]
async fn the_manifest_limit_is_one_mebibyte() {
    // I-02
    assert_eq!(Limits::MANIFEST.max_body_bytes, 1_048_576);
    let (document, _) =
        request_with_closed_connection(Limits::MANIFEST, chunked(&"x".repeat(1_048_576))).await;
    assert_eq!(document.unwrap().len(), 1_048_576);
    let (document, _) =
        request_with_closed_connection(Limits::MANIFEST, chunked(&"x".repeat(1_048_577))).await;
    let error = document.unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { limit: 1_048_576 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn rejects_a_content_length_above_the_limit_without_reading_the_body() {
    // I-02
    for content_length in ["1025", "999999999999999999"] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {content_length}\r\n\r\n");
        // The server sends no body, and the client must not wait for it.
        let outcome = request_with_open_connection(SMALL_BODY, head).await;
        let error = outcome.0.as_ref().unwrap_err();
        let text = format!("content-length is {content_length}, the limit is 1024 bytes");
        assert_eq!(error.to_string(), text);
        assert_eq!(code(&outcome), "content-length-too-large");
    }
}

#[tokio::test]
async fn rejects_an_endless_body() {
    // I-02, J-04
    for head in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let outcome = request_with_script(SMALL_BODY, move |connection| {
            let _ = connection.write_all(head.as_bytes());
            while connection.write_all(b"8\r\n12345678\r\n").is_ok() {}
        })
        .await;
        assert_eq!(code(&outcome), "too-large");
    }
}

#[tokio::test]
async fn ignores_bytes_after_content_length() {
    let response = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}and more";
    let (document, _) = request_with_closed_connection(SMALL_BODY, response).await;
    assert_eq!(document.unwrap(), b"{}");
}

#[tokio::test]
async fn rejects_compressed_bodies() {
    // I-02, T-36
    for header in [
        "content-encoding: gzip",
        "Content-Encoding: GZIP",
        "content-encoding: br",
        "content-encoding: identity, gzip",
        "content-encoding: identity\r\ncontent-encoding: deflate",
        "transfer-encoding: gzip, chunked",
        "transfer-encoding: gzip\r\ntransfer-encoding: chunked",
    ] {
        // The client must not wait for the rest of the compressed stream.
        let head = format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\n\x1f");
        let outcome = request_with_open_connection(SMALL_BODY, head).await;
        assert_eq!(code(&outcome), "encoding", "{header}");
    }
    let plain = "HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 2\r\n\r\n{}";
    assert_eq!(
        request_with_closed_connection(SMALL_BODY, plain)
            .await
            .0
            .unwrap(),
        b"{}"
    );
}

#[tokio::test]
async fn rejects_endless_headers() {
    // J-04
    let outcome = request_with_script(SMALL_BODY, |connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nx: ");
        while connection.write_all(&[b'x'; 1024]).is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "headers-too-large");
    let outcome = request_with_script(SMALL_BODY, |connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\n");
        while connection.write_all(b"x: y\r\n").is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "headers-too-large");
    let lines = "x: y\r\n".repeat(65);
    let outcome =
        request_with_closed_connection(SMALL_BODY, format!("HTTP/1.1 200 OK\r\n{lines}\r\n")).await;
    assert_eq!(code(&outcome), "headers-too-large");
}
