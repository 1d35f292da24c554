//! One connection of a client.

use std::{
    convert::Infallible,
    future::Future,
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
    time::{Instant, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::{RequestId, Shared, access_log::AccessLog, activity::Activity, stall::WriteTimeout};
use crate::{Body, ClientAddress, drain::Drain};

/// Maximum size of a request head, as in nginx and Apache within a factor of two.
const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 100;

/// Requests of one HTTP/2 connection at a time.
const MAX_STREAMS: u32 = 128;

/// Data that an HTTP/2 client may send before the upstream server reads it.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
const SEND_BUFFER: usize = 256 << 10;

/// A connection, shared by its requests.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) server: Arc<Shared>,
    pub(super) peer: SocketAddr,
    pub(super) is_tls: bool,
    activity: Activity,
}

impl Connection {
    /// Serves a connection until it ends, is idle for too long, or the server shuts down.
    pub(super) async fn run(server: Arc<Shared>, stream: TcpStream, peer: SocketAddr) {
        server.metrics.connection_opened();
        let drain = server.drain.clone();
        tokio::select! {
            () = Self::accept(server.clone(), stream, peer) => {}
            () = drain.dropped() => {}
        }
        server.metrics.connection_closed();
    }

    async fn accept(server: Arc<Shared>, stream: TcpStream, peer: SocketAddr) {
        let _ = stream.set_nodelay(true);
        let limit = server.config.header_timeout;
        let Some(identity) = server.tls() else {
            return Self::serve(server, stream, peer, false).await;
        };
        let handshake = TlsAcceptor::from(identity.config).accept(stream);
        match timeout(limit, handshake).await {
            Ok(Ok(stream)) => Self::serve(server, stream, peer, true).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
            Err(_) => tracing::debug!(%peer, "TLS handshake timed out"),
        }
    }

    async fn serve<S>(server: Arc<Shared>, stream: S, peer: SocketAddr, is_tls: bool)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let config = &server.config;
        let mut builder = auto::Builder::new(DrainExecutor(server.drain.clone()));
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

        let activity = Activity::default();
        let connection = Arc::new(Self {
            server: server.clone(),
            peer,
            is_tls,
            activity: activity.clone(),
        });
        let service = service_fn(move |request| answer(connection.clone(), request));
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
            () = server.drain.closing() => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = result {
            tracing::debug!(%peer, error, "connection failed");
        }
    }

    pub(super) fn access_log(
        &self,
        request: &Request<Body>,
        id: RequestId,
        client: ClientAddress,
    ) -> AccessLog {
        self.server.metrics.request_started();
        AccessLog {
            id,
            client,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            start: Instant::now(),
            metrics: self.server.metrics.clone(),
            status: None,
            bytes: 0,
            is_complete: false,
            _active: self.activity.begin(),
        }
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

fn answer(connection: Arc<Connection>, request: Request<Incoming>) -> Answer {
    // The app of this moment: a reload does not affect requests in progress.
    let app = connection.server.app();
    Box::pin(async move { Ok(app.handle(request, &connection).await) })
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
