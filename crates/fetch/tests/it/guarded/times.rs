use std::{thread, time::Duration};

use atr_fetch::Limits;
use atr_loopback::{Authority, DnsAnswer, HostileServer, NameServer, Wire};

use super::{SHORT, ask, ask_holding, code, door_to, url};

/// A byte at a time, for as long as somebody listens.
fn drip(wire: &mut dyn Wire, byte: u8) {
    while wire.write_all(&[byte]).is_ok() && wire.flush().is_ok() {
        thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn one_clock_runs_for_the_whole_request_and_drips_do_not_stop_it() {
    // H-07, J-04
    for start in ["", "HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\n\r\n"] {
        let outcome = ask(SHORT, move |wire| {
            let _ = wire.write_all(start.as_bytes());
            drip(wire, b'x');
        })
        .await;
        // What drips from the first byte on is no head of HTTP either.
        let expected = if start.is_empty() {
            "not-http"
        } else {
            "timed-out"
        };
        assert_eq!(code(&outcome), expected, "{start}");
    }
}

#[tokio::test]
async fn silence_is_waited_for_only_so_long() {
    // H-07, J-04
    for start in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{",
    ] {
        let outcome = ask_holding(SHORT, start).await;
        assert_eq!(code(&outcome), "timed-out", "{start}");
        assert!(outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn answers_that_are_never_final_run_out_of_time() {
    // J-04
    let outcome = ask(SHORT, |wire| {
        // As fast as they are read.
        while wire.write_all(b"HTTP/1.1 103 x\r\n\r\n").is_ok() {}
    })
    .await;
    assert_eq!(code(&outcome), "timed-out");
}

#[tokio::test]
async fn a_server_that_never_shakes_hands_runs_out_of_time() {
    // H-07, J-04
    let authority = Authority::new();
    let server = HostileServer::over_tcp(|wire| wire.hold());
    let door = door_to("localhost", server.address(), &authority, SHORT);
    let error = door.document(&url(&server.origin())).await.unwrap_err();
    assert_eq!(error.code(), "timed-out");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_name_server_that_is_silent_runs_out_of_time() {
    // H-07
    let names = NameServer::start();
    names.script("slow.example", [DnsAnswer::Silence]);
    let door = door_to("localhost", names.address(), &Authority::new(), SHORT);
    let door = door.with_name_server(names.address());
    let error = door
        .document(&url("https://slow.example"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timed-out");
    assert!(names.questions() > 0);
}

#[tokio::test]
async fn a_slow_server_within_the_limits_is_heard_out() {
    let (server, door) = super::honest();
    server.put("/x", "{}");
    server.delay(Duration::from_millis(300));
    let url = url(&format!("{}/x", server.origin()));
    assert_eq!(door.document(&url).await.unwrap(), b"{}");
    assert_eq!(Limits::MANIFEST.time, Duration::from_secs(10));
}
