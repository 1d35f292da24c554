use atr_fetch::{AllowedHosts, Error, Limits, SafeHttpClient};
use atr_loopback::{Authority, HostileServer, HttpsServer};

use super::{door_to, url};

#[tokio::test]
async fn a_certificate_that_is_wrong_is_refused_with_the_reason() {
    // H-07
    let authority = Authority::new();
    for (identity, reason) in [
        (
            authority.issue(&["other.example"]),
            "its certificate is for another name",
        ),
        (
            authority.issue(&["127.0.0.1"]),
            "its certificate is for another name",
        ),
        (
            authority.issue_expired(&["localhost"]),
            "its certificate has expired",
        ),
        (
            Authority::new().issue(&["localhost"]),
            "its certificate is signed by nobody we trust",
        ),
    ] {
        let server = HttpsServer::start(&identity);
        server.put("/x", "{}");
        let door = door_to("localhost", server.address(), &authority, Limits::MANIFEST);
        let url = url(&format!("{}/x", server.origin()));
        let error = door.document(&url).await.unwrap_err();
        let port = server.address().port();
        assert_eq!(
            error.to_string(),
            format!("no secure connection to localhost:{port}: {reason}")
        );
        assert_eq!((error.code(), error.is_retryable()), ("tls", false));
        assert_eq!(server.count("/x"), 0);
    }
}

#[tokio::test]
async fn a_port_that_does_not_speak_tls_is_refused() {
    // H-07
    let authority = Authority::new();
    let server = HostileServer::over_tcp(|wire| {
        let _ = wire.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        wire.hold();
    });
    let door = door_to("localhost", server.address(), &authority, Limits::MANIFEST);
    let error = door.document(&url(&server.origin())).await.unwrap_err();
    assert!(
        error.to_string().ends_with(": it does not speak TLS"),
        "{error}"
    );
}

#[tokio::test]
async fn a_line_that_breaks_during_the_handshake_may_hold_the_next_time() {
    // H-07
    let authority = Authority::new();
    let server = HostileServer::over_tcp(|_| {});
    let door = door_to("localhost", server.address(), &authority, Limits::MANIFEST);
    let error = door.document(&url(&server.origin())).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("unreachable", true));
}

#[test]
fn roots_that_are_none_are_refused_when_the_door_is_opened() {
    for roots in [
        "not PEM",
        "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n",
    ] {
        let exceptions = AllowedHosts {
            hosts: Vec::new(),
            roots: roots.into(),
        };
        let refused = SafeHttpClient::try_new(Limits::MANIFEST, exceptions).unwrap_err();
        assert!(matches!(refused, Error::Roots), "{refused:?}");
    }
}
