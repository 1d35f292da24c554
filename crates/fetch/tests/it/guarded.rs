/// Where a host may lead.
mod addresses;
/// What makes an answer whole.
mod answers;
/// Names that exist, do not, or cannot be found out about.
mod names;
/// What is sent.
mod requests;
/// Certificates.
mod secure;
/// How much is read.
mod sizes;
/// How long is waited.
mod times;

use std::{net::SocketAddr, time::Duration};

use atr_fetch::{AllowedHosts, Error, Limits, Response, SafeHttpClient};
use atr_ids::HttpsUrl;
use atr_loopback::{Authority, HostileServer, HttpsServer, Request, Wire};

/// Long enough for a busy machine, short enough to wait for.
const SHORT: Limits = Limits {
    time: Duration::from_millis(700),
    bytes: 1024,
};

fn url(text: &str) -> HttpsUrl {
    text.parse().unwrap()
}

/// A door with one exception: this host may be anywhere, and this authority may sign for it.
fn door_to(
    host: &str,
    address: SocketAddr,
    authority: &Authority,
    limits: Limits,
) -> SafeHttpClient {
    let exceptions = AllowedHosts {
        hosts: vec![format!("{host}:{}", address.port()).parse().unwrap()],
        roots: authority.pem().into_bytes(),
    };
    SafeHttpClient::try_new(limits, exceptions).unwrap()
}

/// A server that behaves, and a door to it.
fn honest() -> (HttpsServer, SafeHttpClient) {
    let authority = Authority::new();
    let server = HttpsServer::start(&authority.issue(&["localhost"]));
    let door = door_to("localhost", server.address(), &authority, Limits::MANIFEST);
    (server, door)
}

/// What both ways of asking bring back from a server that reads the request and then follows a script.
async fn ask(
    limits: Limits,
    script: impl Fn(&mut dyn Wire) + Send + Sync + 'static,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let authority = Authority::new();
    let server = HostileServer::over_tls(&authority.issue(&["localhost"]), move |wire| {
        Request::read(wire);
        script(wire);
    });
    let door = door_to("localhost", server.address(), &authority, limits);
    let url = url(&format!("{}/x", server.origin()));
    let document = door.document(&url).await;
    (document, door.post(&url, &[], b"{}".to_vec()).await)
}

/// The same from a server that sends these bytes and says goodbye.
async fn ask_saying(
    limits: Limits,
    answer: impl Into<Vec<u8>>,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let answer = answer.into();
    ask(limits, move |wire| {
        let _ = wire.write_all(&answer);
        wire.close();
    })
    .await
}

/// The same from a server that sends these bytes and keeps the line open: whoever wants more has to give up by itself.
async fn ask_holding(
    limits: Limits,
    answer: impl Into<Vec<u8>>,
) -> (Result<Vec<u8>, Error>, Result<Response, Error>) {
    let answer = answer.into();
    ask(limits, move |wire| {
        let _ = wire.write_all(&answer);
        let _ = wire.flush();
        wire.hold();
    })
    .await
}

/// The code both ways of asking were refused with.
fn code((document, post): &(Result<Vec<u8>, Error>, Result<Response, Error>)) -> &'static str {
    let (document, post) = (document.as_ref().unwrap_err(), post.as_ref().unwrap_err());
    assert_eq!(document.code(), post.code());
    assert_eq!(document.is_retryable(), post.is_retryable());
    document.code()
}
