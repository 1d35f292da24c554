mod addresses;
mod dns;
mod requests;
mod responses;
mod size_limits;
mod timeouts;
mod tls;

use std::{net::SocketAddr, time::Duration};

use atr_fetch::{AllowedHosts, Error, Limits, Response, SafeHttpClient};
use atr_ids::HttpsUrl;
use atr_loopback::{CertificateAuthority, Connection, HostileServer, HttpsServer, Request};

/// Short timeout, long enough for a busy machine.
const SHORT: Limits = Limits {
    timeout: Duration::from_millis(700),
    max_body_bytes: 1024,
};

fn url(text: &str) -> HttpsUrl {
    text.parse().unwrap()
}

/// A client that allows one host, with certificates of `authority`.
fn client_for(
    host: &str,
    address: SocketAddr,
    authority: &CertificateAuthority,
    limits: Limits,
) -> SafeHttpClient {
    let allowed = AllowedHosts {
        hosts: vec![format!("{host}:{}", address.port()).parse().unwrap()],
        root_certificates: authority.pem().into_bytes(),
    };
    SafeHttpClient::try_new(limits, allowed).unwrap()
}

/// An HTTPS server and a client for it.
fn server_and_client() -> (HttpsServer, SafeHttpClient) {
    let authority = CertificateAuthority::new();
    let server = HttpsServer::start(&authority.issue(&["localhost"]));
    let client = client_for("localhost", server.address(), &authority, Limits::MANIFEST);
    (server, client)
}

/// Results of `fetch_document` and `post` for a server that reads the request and then runs a script.
async fn request_with_script(
    limits: Limits,
    script: impl Fn(&mut dyn Connection) + Send + Sync + 'static,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let authority = CertificateAuthority::new();
    let server = HostileServer::over_tls(&authority.issue(&["localhost"]), move |connection| {
        Request::read(connection);
        script(connection);
    });
    let client = client_for("localhost", server.address(), &authority, limits);
    let url = url(&format!("{}/x", server.origin()));
    let document = client.fetch_document(&url).await;
    (document, client.post(&url, &[], b"{}".to_vec()).await)
}

/// Results for a server that sends these bytes and closes the connection.
async fn request_with_closed_connection(
    limits: Limits,
    response: impl Into<Vec<u8>>,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let response = response.into();
    request_with_script(limits, move |connection| {
        let _ = connection.write_all(&response);
        connection.close();
    })
    .await
}

/// Results for a server that sends these bytes and keeps the connection open.
async fn request_with_open_connection(
    limits: Limits,
    response: impl Into<Vec<u8>>,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let response = response.into();
    request_with_script(limits, move |connection| {
        let _ = connection.write_all(&response);
        let _ = connection.flush();
        connection.wait_for_close();
    })
    .await
}

/// The error code of both results.
fn code((document, post): &(Result<Vec<u8>, Error>, Result<Response, Error>)) -> &'static str {
    let (document, post) = (document.as_ref().unwrap_err(), post.as_ref().unwrap_err());
    assert_eq!(document.code(), post.code());
    assert_eq!(document.is_retryable(), post.is_retryable());
    document.code()
}
