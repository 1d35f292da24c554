use std::time::Duration;

use atr_fetch::{Error, HttpClient, Limits, Response};

use crate::server::{answering, http};

fn door(limits: Limits) -> HttpClient {
    HttpClient::try_new(limits).unwrap()
}

#[tokio::test]
async fn returns_status_and_bytes_whatever_the_status() {
    let door = door(Limits::default());
    for (status, code) in [("200 OK", 200), ("404 Not Found", 404), ("502 Bad", 502)] {
        let url = answering(http(status, "", "body")).await;
        let expected = Response {
            status: code,
            body: b"body".to_vec(),
        };
        assert_eq!(door.get(&url).await.unwrap(), expected);
        let posted = door.post(&url, "text/plain", b"x".to_vec()).await.unwrap();
        assert_eq!(posted, expected);
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let target = answering(http("200 OK", "", "elsewhere")).await;
    let url = answering(http("302 Found", &format!("location: {target}\r\n"), "")).await;
    let response = door(Limits::default()).get(&url).await.unwrap();
    assert_eq!((response.status, response.body.len()), (302, 0));
    assert!(!response.is_success());
}

#[tokio::test]
async fn an_answer_past_the_cap_is_cut_off_whether_announced_or_not() {
    let limits = Limits {
        bytes: 16,
        ..Limits::default()
    };
    let announced = http("200 OK", "", &"x".repeat(17));
    let chunked = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n11\r\n{}\r\n0\r\n\r\n",
        "x".repeat(17)
    );
    for answer in [announced, chunked.into_bytes()] {
        let url = answering(answer).await;
        let error = door(limits).get(&url).await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: 16 }), "{error:?}");
        assert!(!error.is_retryable());
    }
    let url = answering(http("200 OK", "", &"x".repeat(16))).await;
    assert_eq!(door(limits).get(&url).await.unwrap().body.len(), 16);
}

#[tokio::test]
async fn an_answer_that_stops_halfway_runs_into_the_cap_on_time() {
    let limits = Limits {
        time: Duration::from_millis(200),
        ..Limits::default()
    };
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec();
    for answer in [Vec::new(), half] {
        let url = answering(answer).await;
        let error = door(limits).get(&url).await.unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn an_error_names_the_host_and_nothing_that_may_be_a_key() {
    let url = "http://127.0.0.1:1/SECRET?key=SECRET".parse().unwrap();
    let error = door(Limits::default()).get(&url).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot reach 127.0.0.1:1");
    assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn other_schemes_do_not_pass() {
    let url = "ws://127.0.0.1:1".parse().unwrap();
    let error = door(Limits::default()).get(&url).await.unwrap_err();
    assert!(matches!(error, Error::Scheme { .. }), "{error:?}");
}
