use std::time::Duration;

use atr_fetch::{Error, HttpClient, Limits};

use crate::server::{http, serve};

fn client(limits: Limits) -> HttpClient {
    HttpClient::try_new(limits).unwrap()
}

#[tokio::test]
async fn returns_any_status_with_its_body() {
    let client = client(Limits::default());
    for (status, code) in [("200 OK", 200), ("404 Not Found", 404), ("502 Bad", 502)] {
        let url = serve(http(status, "", "body")).await;
        let got = client.get(&url).await.unwrap();
        let posted = client.post(&url, "text/plain", b"x".to_vec());
        for response in [got, posted.await.unwrap()] {
            assert_eq!((response.status, &*response.body), (code, &b"body"[..]));
            assert_eq!(response.header("Content-Length"), Some(&b"4"[..]));
        }
    }
}

#[tokio::test]
async fn redirects_are_returned_and_not_followed() {
    let target = serve(http("200 OK", "", "elsewhere")).await;
    let url = serve(http("302 Found", &format!("location: {target}\r\n"), "")).await;
    let response = client(Limits::default()).get(&url).await.unwrap();
    assert_eq!((response.status, response.body.len()), (302, 0));
    assert!(!response.is_success());
}

#[tokio::test]
async fn rejects_a_body_above_the_limit_with_and_without_content_length() {
    let limits = Limits {
        max_body_bytes: 16,
        ..Limits::default()
    };
    let with_content_length = http("200 OK", "", &"x".repeat(17));
    let chunked = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n11\r\n{}\r\n0\r\n\r\n",
        "x".repeat(17)
    );
    for response in [with_content_length, chunked.into_bytes()] {
        let url = serve(response).await;
        let error = client(limits).get(&url).await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: 16 }), "{error:?}");
        assert!(!error.is_retryable());
    }
    let url = serve(http("200 OK", "", &"x".repeat(16))).await;
    assert_eq!(client(limits).get(&url).await.unwrap().body.len(), 16);
}

#[tokio::test]
async fn an_incomplete_response_times_out() {
    let limits = Limits {
        timeout: Duration::from_millis(200),
        ..Limits::default()
    };
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec();
    for response in [Vec::new(), half] {
        let url = serve(response).await;
        let error = client(limits).get(&url).await.unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn errors_name_the_host_and_not_the_url() {
    let url = "http://127.0.0.1:1/SECRET?key=SECRET".parse().unwrap();
    let error = client(Limits::default()).get(&url).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot connect to 127.0.0.1:1: connection refused"
    );
    assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn rejects_other_schemes() {
    let url = "ws://127.0.0.1:1".parse().unwrap();
    let error = client(Limits::default()).get(&url).await.unwrap_err();
    assert!(matches!(error, Error::Scheme { .. }), "{error:?}");
}
