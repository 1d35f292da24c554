use std::io::ErrorKind;

use atr_loopback::{Answer, Authority, HostileServer, HttpsServer, Request};

use crate::client::get;

#[test]
fn documents_change_while_the_server_runs_and_requests_are_counted() {
    let authority = Authority::new();
    let server = HttpsServer::start(&authority.issue(&["localhost", "127.0.0.1"]));
    let port = server.address().port();
    let ask = |name| get(&authority.pem(), name, port, "/x?y").unwrap();
    server.put("/x", "one");
    assert!(ask("localhost").ends_with("\r\n\r\none"));
    server.put("/x", "two");
    assert!(ask("127.0.0.1").ends_with("\r\n\r\ntwo"));
    server.remove("/x");
    assert!(ask("localhost").starts_with("HTTP/1.1 404 "));
    server.route("/x", |request| Answer::new(201, request.target.as_str()));
    assert!(ask("localhost").ends_with("\r\n\r\n/x?y"));
    assert_eq!((server.count("/x"), server.requests().len()), (4, 4));
}

#[test]
fn certificates_are_wrong_in_the_way_they_were_asked_to_be() {
    let authority = Authority::new();
    for (identity, reason) in [
        (authority.issue(&["other.example"]), "not valid for name"),
        (authority.issue_expired(&["localhost"]), "expired"),
        (Authority::new().issue(&["localhost"]), "UnknownIssuer"),
    ] {
        let server = HttpsServer::start(&identity);
        let error = get(&authority.pem(), "localhost", server.address().port(), "/").unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_script_may_end_without_a_goodbye() {
    let authority = Authority::new();
    for polite in [true, false] {
        let server = HostileServer::over_tls(&authority.issue(&["localhost"]), move |wire| {
            Request::read(wire);
            let _ = wire.write_all(b"half");
            if polite {
                wire.close();
            }
        });
        let port = server.address().port();
        match get(&authority.pem(), "localhost", port, "/") {
            Ok(text) => assert_eq!((polite, text.as_str()), (true, "half")),
            Err(error) => assert_eq!((polite, error.kind()), (false, ErrorKind::UnexpectedEof)),
        }
        assert_eq!(server.connections(), 1);
        drop(server);
        let gone = get(&authority.pem(), "localhost", port, "/").unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::ConnectionRefused);
    }
}
