use atr_fetch::Limits;
use atr_loopback::Answer;

use super::{ask_saying, code, honest, url};

#[tokio::test]
async fn a_redirect_is_never_followed_wherever_it_points() {
    // H-06
    let (server, door) = honest();
    let (mirror, _) = honest();
    for page in [&server, &mirror] {
        page.put("/mirror", "the right document in the wrong place");
    }
    for status in [300, 301, 302, 303, 304, 305, 307, 308, 399] {
        for target in [
            "/mirror".to_owned(),
            format!("{}/mirror", server.origin()),
            format!("{}/mirror", mirror.origin()),
        ] {
            let answer = Answer::new(status, "").with_header("location", &target);
            server.route("/x", move |_| answer.clone());
            let url = url(&format!("{}/x", server.origin()));
            let document = door.document(&url).await;
            let outcome = (document, door.post(&url, &[], Vec::new()).await);
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
async fn only_200_with_a_whole_body_is_a_document() {
    // H-07, H-08, T-36
    let (server, door) = honest();
    let url = url(&format!("{}/x", server.origin()));
    for status in [
        201, 202, 203, 204, 206, 226, 299, 400, 401, 402, 403, 404, 410, 418, 451,
    ] {
        server.route("/x", move |_| {
            Answer::new(status, if status == 204 { "" } else { "{}" })
        });
        let error = door.document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("status", false),
            "{status}"
        );
    }
    for status in [429, 500, 502, 503, 504, 599] {
        server.route("/x", move |_| Answer::new(status, "{}"));
        let error = door.document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("status", true),
            "{status}"
        );
    }
    server.put("/x", "{}");
    assert_eq!(door.document(&url).await.unwrap(), b"{}");
}

#[tokio::test]
async fn an_invocation_is_answered_with_whatever_status_is_final() {
    let (server, door) = honest();
    let url = url(&format!("{}/x", server.origin()));
    for status in [200, 201, 402, 404, 500] {
        server.route("/x", move |request| {
            Answer::new(status, request.body.clone())
        });
        let response = door.post(&url, &[], b"body".to_vec()).await.unwrap();
        assert_eq!((response.status, response.body), (status, b"body".to_vec()));
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_body() {
    // H-07, H-08, T-36
    for answer in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"",
    ] {
        let outcome = ask_saying(Limits::MANIFEST, answer).await;
        assert_eq!(code(&outcome), "truncated", "{}", answer.escape_ascii());
        assert!(outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_a_goodbye_and_not_with_a_cut_line() {
    // H-07, H-08
    let open_ended = b"HTTP/1.1 200 OK\r\n\r\n{}";
    let (document, _) = ask_saying(Limits::MANIFEST, open_ended).await;
    assert_eq!(document.unwrap(), b"{}");
    let outcome = super::ask(Limits::MANIFEST, |wire| {
        let _ = wire.write_all(open_ended);
        let _ = wire.flush();
    })
    .await;
    assert_eq!(code(&outcome), "truncated");
}

#[tokio::test]
async fn whatever_is_not_http_is_refused() {
    // H-07
    for answer in [
        &b"SSH-2.0-OpenSSH_9.6\r\n\r\n"[..],
        b"HTTP/0.9 200 OK\r\n\r\n{}",
        b"{}\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
        b"HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let outcome = ask_saying(Limits::MANIFEST, answer).await;
        assert_eq!(code(&outcome), "not-http", "{}", answer.escape_ascii());
        assert!(!outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn an_upgrade_is_no_answer() {
    let upgrade = b"HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";
    let outcome = ask_saying(Limits::MANIFEST, upgrade).await;
    outcome.0.unwrap_err();
    outcome.1.unwrap_err();
    // What comes before the answer is not the answer.
    let early =
        b"HTTP/1.1 103 x\r\nlink: </y>\r\n\r\nHTTP/1.1 200 x\r\ncontent-length: 2\r\n\r\n{}";
    let (document, _) = ask_saying(Limits::MANIFEST, early).await;
    assert_eq!(document.unwrap(), b"{}");
}
