use std::{thread, time::Duration};

use atr_fetch::Limits;
use atr_loopback::{CertificateAuthority, Connection, DnsResponse, DnsServer, HostileServer};

use super::{SHORT, client_for, code, request_with_open_connection, request_with_script, url};

/// Sends one byte at a time until the client closes the connection.
fn drip(connection: &mut dyn Connection, byte: u8) {
    while connection.write_all(&[byte]).is_ok() && connection.flush().is_ok() {
        thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn one_timeout_covers_the_whole_request_even_if_bytes_arrive() {
    // H-07, J-04
    for start in ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\n\r\n"] {
        let outcome = request_with_script(SHORT, move |connection| {
            let _ = connection.write_all(start.as_bytes());
            drip(connection, b'x');
        })
        .await;
        assert_eq!(code(&outcome), "timed-out", "{start}");
    }
}

#[tokio::test]
async fn slow_bytes_without_a_status_line_are_not_http() {
    let outcome = request_with_script(Limits::MANIFEST, |connection| drip(connection, b'x')).await;
    assert_eq!(code(&outcome), "not-http");
}

#[tokio::test]
async fn a_server_that_stops_responding_times_out() {
    // H-07, J-04
    for start in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{",
    ] {
        let outcome = request_with_open_connection(SHORT, start).await;
        assert_eq!(code(&outcome), "timed-out", "{start}");
        assert!(outcome.0.unwrap_err().is_retryable());
    }
}

#[tokio::test]
async fn a_server_that_never_completes_the_handshake_times_out() {
    // H-07, J-04
    let authority = CertificateAuthority::new();
    let server = HostileServer::over_tcp(|connection| connection.wait_for_close());
    let client = client_for("localhost", server.address(), &authority, SHORT);
    let error = client
        .fetch_document(&url(&server.origin()))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timed-out");
    // The server may count the connection after the client has given up.
    while server.connections() == 0 {
        thread::yield_now();
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_dns_server_that_does_not_respond_times_out() {
    // H-07
    let dns = DnsServer::start();
    dns.script("slow.example", [DnsResponse::NoResponse]);
    let client = client_for(
        "localhost",
        dns.address(),
        &CertificateAuthority::new(),
        SHORT,
    );
    let client = client.with_name_server(dns.address());
    let error = client
        .fetch_document(&url("https://slow.example"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timed-out");
    while dns.queries() == 0 {
        thread::yield_now();
    }
}

#[tokio::test]
async fn a_slow_server_within_the_timeout_succeeds() {
    let (server, client) = super::server_and_client();
    server.put("/x", "{}");
    server.delay(Duration::from_millis(300));
    let url = url(&format!("{}/x", server.origin()));
    assert_eq!(client.fetch_document(&url).await.unwrap(), b"{}");
    assert_eq!(Limits::MANIFEST.timeout, Duration::from_secs(10));
}
