use atr_gate::{
    proxy::{Proxy, ProxyConfig, Upstream},
    server::{App, Cors, Shutdown, TrustedProxies},
};
use bytes::Bytes;
use http::Response;
use http_body::Frame;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
};

use super::{
    streaming::channel,
    support::{Backend, Gate, SOON, read_head, serve},
};

/// An upstream server whose one response the test sends.
async fn streaming_server() -> (String, mpsc::Sender<Frame<Bytes>>) {
    let (sender, body) = channel();
    let body = std::sync::Arc::new(std::sync::Mutex::new(Some(body)));
    let address = serve(move |_| {
        let body = body.lock().unwrap().take().unwrap();
        async move { Response::new(body) }
    })
    .await;
    (format!("http://{address}"), sender)
}

async fn start_response(gate: &Gate) -> TcpStream {
    let mut stream = gate.connect().await;
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    stream
}

#[tokio::test]
async fn shutdown_waits_for_a_response_in_progress() {
    let (url, sender) = streaming_server().await;
    let gate = Gate::start(&url).await;
    let address = gate.address;
    let mut stream = start_response(&gate).await;
    let idle = gate.connect().await;
    let stopped = gate.stop();
    // The listener is closed first.
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    sender
        .send(Frame::data(Bytes::from_static(b"last")))
        .await
        .unwrap();
    drop(sender);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("last"), "{rest}");
    assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
    assert_eq!(stopped.await.unwrap(), Shutdown::Complete);
    drop(idle);
}

#[tokio::test]
async fn a_response_that_does_not_end_is_dropped_after_the_deadline() {
    let (url, sender) = streaming_server().await;
    let gate = Gate::start_with(&url, |settings| settings.server.drain_timeout = SOON).await;
    let mut stream = start_response(&gate).await;
    let stopped = gate.stop();
    assert_eq!(stopped.await.unwrap(), Shutdown::Dropped(1));
    let mut rest = String::new();
    let _ = stream.read_to_string(&mut rest).await;
    assert!(!rest.ends_with("0\r\n\r\n"), "{rest}");
    drop(sender);
}

#[tokio::test]
async fn a_reload_affects_new_requests_only() {
    let (url, sender) = streaming_server().await;
    let gate = Gate::start(&url).await;
    let mut stream = start_response(&gate).await;
    let backend = Backend::start().await;
    let mut app = App::new(Cors::Any, TrustedProxies::default());
    let upstream = Upstream::parse(&backend.url()).unwrap();
    let proxy = Proxy::try_new(ProxyConfig::new(upstream)).unwrap();
    app.add_route("/new", proxy).unwrap();
    gate.handle.replace_app(app);
    assert_eq!(gate.get("/new").await.status(), 200);
    assert_eq!(gate.get("/old").await.status(), 404);
    let frame = Frame::data(Bytes::from_static(b"still here"));
    sender.send(frame).await.unwrap();
    drop(sender);
    let mut rest = vec![0; 100];
    let read = stream.read(&mut rest).await.unwrap();
    let rest = String::from_utf8_lossy(&rest[..read]);
    assert!(rest.contains("still here"), "{rest}");
}
