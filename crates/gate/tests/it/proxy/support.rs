use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use atr_gate::{
    Body,
    proxy::{Proxy, ProxyConfig, Upstream},
    server::{
        App, Cors, Server, ServerConfig, ServerHandle, Shutdown, TlsIdentity, TrustedProxies,
    },
};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

/// Long enough that it passes only in a test that waits for it in vain.
pub(crate) const NEVER: Duration = Duration::from_secs(60);

/// Short enough to wait for. Tests that use it do not depend on how long things take, only on what happens.
pub(crate) const SOON: Duration = Duration::from_millis(50);

/// A request as the upstream server received it.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: http::request::Parts,
    pub(crate) body: Bytes,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.head.headers.get_all(name).into_iter();
        let value = values.next()?.to_str().unwrap();
        assert!(values.next().is_none(), "{name} is repeated");
        Some(value)
    }
}

/// An upstream server that behaves: HTTP/1.1 and HTTP/2.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Backend {
    /// Reads whole requests and answers with `ok`.
    pub(crate) async fn start() -> Self {
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let log = received.clone();
        let address = serve(move |request| {
            let log = log.clone();
            async move {
                let (head, body) = request.into_parts();
                // The gate aborts requests that it rejects.
                let Ok(body) = body.collect().await else {
                    return Response::new(full("aborted"));
                };
                let body = body.to_bytes();
                log.lock().unwrap().push(Received { head, body });
                Response::new(full("ok"))
            }
        })
        .await;
        Self { address, received }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Received {
        let received = self.received();
        assert_eq!(received.len(), 1, "{received:?}");
        received[0].clone()
    }
}

/// Serves requests with a handler on a free port.
pub(crate) async fn serve<H, F>(handler: H) -> SocketAddr
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let handler = handler.clone();
            let service = service_fn(move |request| {
                let response = handler(request);
                async { Ok::<_, Infallible>(response.await) }
            });
            tokio::spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let stream = TokioIo::new(stream);
                let _ = builder
                    .serve_connection_with_upgrades(stream, service)
                    .await;
            });
        }
    });
    address
}

/// Runs a script on the `n`th connection, counted from 1, for servers that misbehave.
pub(crate) async fn script<S, F>(script: S) -> SocketAddr
where
    S: Fn(TcpStream, usize) -> F + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for count in 1.. {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(script(stream, count));
        }
    });
    address
}

/// Reads the head of a message.
pub(crate) async fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).unwrap()
}

/// A running server with a proxy at `/`.
pub(crate) struct Gate {
    pub(crate) address: SocketAddr,
    pub(crate) handle: ServerHandle,
    stop: oneshot::Sender<()>,
    stopped: JoinHandle<Shutdown>,
}

/// Settings that tests change.
pub(crate) struct Settings {
    pub(crate) proxy: ProxyConfig,
    pub(crate) server: ServerConfig,
    pub(crate) trusted: TrustedProxies,
    pub(crate) tls: Option<TlsIdentity>,
}

impl Gate {
    pub(crate) async fn start(upstream: &str) -> Self {
        Self::start_with(upstream, |_| {}).await
    }

    pub(crate) async fn start_with(upstream: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            proxy: ProxyConfig::new(Upstream::parse(upstream).unwrap()),
            server: ServerConfig {
                drain_timeout: NEVER,
                ..ServerConfig::default()
            },
            trusted: TrustedProxies::default(),
            tls: None,
        };
        change(&mut settings);
        let mut app = App::new(Cors::Any, settings.trusted);
        let proxy = Proxy::try_new(settings.proxy).unwrap();
        app.add_route("/", proxy).unwrap();
        Self::serve(app, settings.server, settings.tls).await
    }

    pub(crate) async fn serve(app: App, config: ServerConfig, tls: Option<TlsIdentity>) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(any, tls, config, app).await.unwrap();
        let address = server.local_address().unwrap();
        let handle = server.handle();
        let (stop, stopping) = oneshot::channel();
        let stopped = tokio::spawn(server.serve(async {
            let _ = stopping.await;
        }));
        Self {
            address,
            handle,
            stop,
            stopped,
        }
    }

    /// Requests the shutdown; the handle completes when it is done.
    pub(crate) fn stop(self) -> JoinHandle<Shutdown> {
        let _ = self.stop.send(());
        self.stopped
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes and returns everything that comes back until the server closes the connection.
    pub(crate) async fn raw(&self, request: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect().await;
        let _ = stream.write_all(request.as_ref()).await;
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response).await;
        String::from_utf8_lossy(&response).into_owned()
    }

    /// Sends a request with a body and returns the response with its body.
    pub(crate) async fn send(&self, request: http::request::Builder, body: Body) -> Reply {
        let client = Client::builder(TokioExecutor::new()).build_http();
        send(&client, request, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        let request = Request::builder().uri(format!("http://{}{path}", self.address));
        self.send(request, full("")).await
    }
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) head: http::response::Parts,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<http::HeaderMap>,
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.head.status.as_u16()
    }

    /// The member `code` of an error.
    pub(crate) fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        body["code"].as_str().unwrap().to_owned()
    }
}

pub(crate) async fn send<C>(
    client: &Client<C, Body>,
    request: http::request::Builder,
    body: Body,
) -> Reply
where
    C: hyper_util::client::legacy::connect::Connect + Clone + Send + Sync + 'static,
{
    let response = client.request(request.body(body).unwrap()).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned();
    Reply {
        head,
        body: body.to_bytes(),
        trailers,
    }
}

pub(crate) fn full(content: impl Into<Bytes>) -> Body {
    Full::new(content.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}
