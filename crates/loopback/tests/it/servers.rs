use std::io::ErrorKind;

use atr_loopback::{CertificateAuthority, HostileServer, HttpsServer, Request, Response};

use crate::client::get;

#[test]
fn documents_can_change_and_requests_are_counted() {
    let authority = CertificateAuthority::new();
    let server = HttpsServer::start(&authority.issue(&["localhost", "127.0.0.1"]));
    let port = server.address().port();
    let request = |name| get(&authority.pem(), name, port, "/x?y").unwrap();
    server.put("/x", "one");
    assert!(request("localhost").ends_with("\r\n\r\none"));
    server.put("/x", "two");
    assert!(request("127.0.0.1").ends_with("\r\n\r\ntwo"));
    server.remove("/x");
    assert!(request("localhost").starts_with("HTTP/1.1 404 "));
    server.route("/x", |received| {
        Response::new(201, received.target.as_str())
    });
    assert!(request("localhost").ends_with("\r\n\r\n/x?y"));
    assert_eq!((server.count("/x"), server.requests().len()), (4, 4));
}

#[test]
fn invalid_certificates_are_rejected_by_a_client() {
    let authority = CertificateAuthority::new();
    for (identity, reason) in [
        (authority.issue(&["other.example"]), "not valid for name"),
        (authority.issue_expired(&["localhost"]), "expired"),
        (
            CertificateAuthority::new().issue(&["localhost"]),
            "UnknownIssuer",
        ),
    ] {
        let server = HttpsServer::start(&identity);
        let error = get(&authority.pem(), "localhost", server.address().port(), "/").unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_script_can_end_without_close_notify() {
    let authority = CertificateAuthority::new();
    for is_graceful in [true, false] {
        let server = HostileServer::over_tls(&authority.issue(&["localhost"]), move |connection| {
            Request::read(connection);
            let _ = connection.write_all(b"half");
            if is_graceful {
                connection.close();
            }
        });
        let port = server.address().port();
        match get(&authority.pem(), "localhost", port, "/") {
            Ok(text) => assert_eq!((is_graceful, text.as_str()), (true, "half")),
            Err(error) => assert_eq!(
                (is_graceful, error.kind()),
                (false, ErrorKind::UnexpectedEof)
            ),
        }
        assert_eq!(server.connections(), 1);
        drop(server);
        let gone = get(&authority.pem(), "localhost", port, "/").unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::ConnectionRefused);
    }
}
