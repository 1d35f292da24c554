use atr_fetch::{AllowedHosts, Error, Limits, SafeHttpClient};
use atr_loopback::{CertificateAuthority, HostileServer, HttpsServer};

use super::{client_for, url};

#[tokio::test]
async fn invalid_certificates_are_rejected_with_a_reason() {
    // H-07
    let authority = CertificateAuthority::new();
    for (identity, reason) in [
        (
            authority.issue(&["other.example"]),
            "the certificate is for another host",
        ),
        (
            authority.issue(&["127.0.0.1"]),
            "the certificate is for another host",
        ),
        (
            authority.issue_expired(&["localhost"]),
            "the certificate has expired",
        ),
        (
            CertificateAuthority::new().issue(&["localhost"]),
            "the certificate is not signed by a trusted authority",
        ),
    ] {
        let server = HttpsServer::start(&identity);
        server.put("/x", "{}");
        let client = client_for("localhost", server.address(), &authority, Limits::MANIFEST);
        let url = url(&format!("{}/x", server.origin()));
        let error = client.fetch_document(&url).await.unwrap_err();
        let port = server.address().port();
        assert_eq!(
            error.to_string(),
            format!("TLS connection to localhost:{port} failed: {reason}")
        );
        assert_eq!((error.code(), error.is_retryable()), ("tls", false));
        assert_eq!(server.count("/x"), 0);
    }
}

#[tokio::test]
async fn rejects_a_server_that_does_not_use_tls() {
    // H-07
    let authority = CertificateAuthority::new();
    let server = HostileServer::over_tcp(|connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        connection.wait_for_close();
    });
    let client = client_for("localhost", server.address(), &authority, Limits::MANIFEST);
    let error = client
        .fetch_document(&url(&server.origin()))
        .await
        .unwrap_err();
    assert!(
        error.to_string().ends_with(": the server does not use TLS"),
        "{error}"
    );
}

#[tokio::test]
async fn a_connection_lost_in_the_handshake_is_retryable() {
    // H-07
    let authority = CertificateAuthority::new();
    let server = HostileServer::over_tcp(|_| {});
    let client = client_for("localhost", server.address(), &authority, Limits::MANIFEST);
    let error = client
        .fetch_document(&url(&server.origin()))
        .await
        .unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("unreachable", true));
}

#[test]
fn rejects_root_certificates_that_are_not_pem() {
    for pem in [
        "not PEM",
        "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n",
    ] {
        let allowed = AllowedHosts {
            hosts: Vec::new(),
            root_certificates: pem.into(),
        };
        let error = SafeHttpClient::try_new(Limits::MANIFEST, allowed).unwrap_err();
        assert!(matches!(error, Error::RootCertificates), "{error:?}");
    }
}
