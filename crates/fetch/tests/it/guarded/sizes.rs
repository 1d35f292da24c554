use atr_fetch::{Error, Limits};

use super::{SHORT, ask, ask_holding, ask_saying, code};

/// So that only the cap on bytes can end it.
const PATIENT: Limits = Limits {
    bytes: SHORT.bytes,
    ..Limits::MANIFEST
};

fn chunked(body: &str) -> String {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
}

#[tokio::test]
async fn a_body_at_the_cap_passes_and_one_byte_more_does_not() {
    // I-02, J-04
    for (length, is_read) in [(1024, true), (1025, false)] {
        let body = "x".repeat(length);
        let framed = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
        let open_ended = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        for (answer, refusal) in [
            (framed, "announced-too-large"),
            (chunked(&body), "too-large"),
            (open_ended, "too-large"),
        ] {
            let outcome = ask_saying(PATIENT, answer).await;
            if is_read {
                assert_eq!(outcome.0.unwrap().len(), length);
                assert_eq!(outcome.1.unwrap().body.len(), length);
            } else {
                assert_eq!(code(&outcome), refusal);
                assert!(!outcome.0.unwrap_err().is_retryable());
            }
        }
    }
}

#[tokio::test]
async fn the_cap_for_manifests_is_a_mebibyte() {
    // I-02
    assert_eq!(Limits::MANIFEST.bytes, 1_048_576);
    let (document, _) = ask_saying(Limits::MANIFEST, chunked(&"x".repeat(1_048_576))).await;
    assert_eq!(document.unwrap().len(), 1_048_576);
    let (document, _) = ask_saying(Limits::MANIFEST, chunked(&"x".repeat(1_048_577))).await;
    let error = document.unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { limit: 1_048_576 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_length_past_the_cap_is_refused_without_a_byte_of_the_body() {
    // I-02
    for announced in ["1025", "999999999999999999"] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {announced}\r\n\r\n");
        // No body comes, and nobody waits for it.
        let outcome = ask_holding(PATIENT, head).await;
        let error = outcome.0.as_ref().unwrap_err();
        let text = format!("the answer announces {announced} bytes; at most 1024 are read");
        assert_eq!(error.to_string(), text);
        assert_eq!(code(&outcome), "announced-too-large");
    }
}

#[tokio::test]
async fn a_body_without_end_is_cut_off_and_no_part_of_it_returned() {
    // I-02, J-04
    for head in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let outcome = ask(PATIENT, move |wire| {
            let _ = wire.write_all(head.as_bytes());
            while wire.write_all(b"8\r\n12345678\r\n").is_ok() {}
        })
        .await;
        assert_eq!(code(&outcome), "too-large");
    }
}

#[tokio::test]
async fn more_bytes_than_announced_are_not_read() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}and more";
    let (document, _) = ask_saying(PATIENT, answer).await;
    assert_eq!(document.unwrap(), b"{}");
}

#[tokio::test]
async fn packed_bodies_are_refused_before_they_are_unpacked() {
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
        // The first bytes of a stream that would unpack to gigabytes; nobody waits for the rest.
        let head = format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\n\x1f");
        let outcome = ask_holding(PATIENT, head).await;
        assert_eq!(code(&outcome), "encoding", "{header}");
    }
    let plain = "HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 2\r\n\r\n{}";
    assert_eq!(ask_saying(PATIENT, plain).await.0.unwrap(), b"{}");
}

#[tokio::test]
async fn a_head_without_end_is_cut_off() {
    // J-04
    let outcome = ask(PATIENT, |wire| {
        let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nx: ");
        while wire.write_all(&[b'x'; 1024]).is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "headers-too-large");
    let outcome = ask(PATIENT, |wire| {
        let _ = wire.write_all(b"HTTP/1.1 200 OK\r\n");
        while wire.write_all(b"x: y\r\n").is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "headers-too-large");
    let lines = "x: y\r\n".repeat(65);
    let outcome = ask_saying(PATIENT, format!("HTTP/1.1 200 OK\r\n{lines}\r\n")).await;
    assert_eq!(code(&outcome), "headers-too-large");
}
