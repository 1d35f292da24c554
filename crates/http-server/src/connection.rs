//! One connection of a client.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
};

use http::{Request, Response};
use hyper::{body::Incoming, rt::Executor, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    ActiveRequest, Body, Drain, Handler, ServerConfig, TlsIdentity, activity::Activity,
    stall::WriteTimeout,
};

/// Maximum size of a request head, as in nginx and Apache within a factor of two.
const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 100;

/// Requests of one HTTP/2 connection at a time.
const MAX_STREAMS: u32 = 128;

/// Data that an HTTP/2 client may send before the handler reads it.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
const SEND_BUFFER: usize = 256 << 10;

/// A connection, as its requests see it.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The other end: a client or a proxy.
    pub peer: SocketAddr,
    /// Whether it is encrypted.
    pub is_tls: bool,
    /// Shutdown of the server, for tasks that outlive a request.
    pub drain: Drain,
    activity: Activity,
}

impl Connection {
    pub(crate) fn new(peer: SocketAddr, is_tls: bool, drain: Drain) -> Self {
        Self {
            peer,
            is_tls,
            drain,
            activity: Activity::default(),
        }
    }

    /// Counts a request until the result is dropped: the connection is not idle.
    #[must_use]
    pub fn begin_request(&self) -> ActiveRequest {
        self.activity.begin()
    }
}

/// Serves a connection until it ends, is idle for too long, or the server shuts down.
pub(crate) async fn run(
    connection: Connection,
    stream: TcpStream,
    tls: Option<TlsIdentity>,
    config: &ServerConfig,
    handler: Arc<dyn Handler>,
) {
    let _ = stream.set_nodelay(true);
    let Some(identity) = tls else {
        return serve(connection, stream, config, handler).await;
    };
    let peer = connection.peer;
    let handshake = TlsAcceptor::from(identity.config).accept(stream);
    match timeout(config.header_timeout, handshake).await {
        Ok(Ok(stream)) => serve(connection, stream, config, handler).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "TLS handshake timed out"),
    }
}

async fn serve<S>(
    connection: Connection,
    stream: S,
    config: &ServerConfig,
    handler: Arc<dyn Handler>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Connection {
        peer,
        drain,
        activity,
        ..
    } = connection.clone();
    let mut builder = auto::Builder::new(DrainExecutor(drain.clone()));
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(config.idle_timeout)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(config.idle_timeout / 2)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER);

    let service = service_fn(move |request| respond(&handler, request, &connection));
    let stream = TokioIo::new(WriteTimeout::new(stream, config.idle_timeout));
    let mut serving = pin!(builder.serve_connection_with_upgrades(stream, service));
    let idle = activity.is_idle(config.header_timeout, config.idle_timeout);
    let result = tokio::select! {
        result = serving.as_mut() => result,
        () = idle => {
            serving.as_mut().graceful_shutdown();
            // An idle HTTP/1.1 connection ends at once; HTTP/2 waits for the client.
            let ended = timeout(config.header_timeout, serving).await;
            ended.unwrap_or(Ok(()))
        }
        () = drain.closing() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%peer, error, "connection failed");
    }
}

type InfallibleResponse = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

fn respond(
    handler: &Arc<dyn Handler>,
    request: Request<Incoming>,
    connection: &Connection,
) -> InfallibleResponse {
    let response = handler.clone().handle(request, connection);
    Box::pin(async move { Ok(response.await) })
}

/// Runs the requests of HTTP/2 connections as tasks that shutdown waits for.
#[derive(Clone, Debug)]
struct DrainExecutor(Drain);

impl<F> Executor<F> for DrainExecutor
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, future: F) {
        let drain = self.0.clone();
        self.0.spawn(async move {
            tokio::select! {
                _ = future => {}
                () = drain.dropped() => {}
            }
        });
    }
}
