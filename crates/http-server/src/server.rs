//! Accept loop and graceful shutdown.

use std::{
    fmt, io,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use tokio::{
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{
    TlsIdentity,
    connection::{self, Connection},
    drain::Drain,
};

/// Pause after `accept` failed, for example because the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An error of a body whose type is erased.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A streaming body.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

/// A response in progress.
pub type ResponseFuture = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Responds to requests.
pub trait Handler: Send + Sync + fmt::Debug + 'static {
    /// Responds to a request. Keeps [`Connection::begin_request`] until the response is complete.
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: &Connection,
    ) -> ResponseFuture;

    /// For metrics.
    fn connection_opened(&self) {}

    /// For metrics.
    fn connection_closed(&self) {}
}

/// Limits of a [`Server`].
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Further clients wait in the queue of the operating system.
    pub max_connections: usize,
    /// Time for the TLS handshake, and for the first request of a connection.
    pub header_timeout: Duration,
    /// Time without requests after which a connection is closed, and time without progress after which a response is aborted.
    /// Longer than the 60 seconds of common load balancers.
    pub idle_timeout: Duration,
    /// Time for requests in progress after shutdown was requested.
    pub drain_timeout: Duration,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            max_connections: 10_000,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            drain_timeout: Duration::from_secs(30),
        }
    }
}

/// How a shutdown ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// All requests were completed.
    Complete,
    /// The drain timeout passed; this many connections and requests were dropped.
    Dropped(usize),
}

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    pub(crate) config: ServerConfig,
    tls: TlsHandle,
}

/// Replaces the certificate of a running server.
#[derive(Clone, Debug)]
pub struct TlsHandle(Arc<RwLock<Option<TlsIdentity>>>);

impl TlsHandle {
    /// Replaces the certificate for new connections of a server with TLS.
    pub fn replace_certificate(&self, identity: TlsIdentity) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if current.is_some() {
            *current = Some(identity);
        }
    }

    fn current(&self) -> Option<TlsIdentity> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Server {
    /// Listens at an address. Clients can connect from now on; requests are handled once [`Self::serve`] runs.
    ///
    /// # Errors
    ///
    /// If the address is in use or not available.
    pub async fn bind(
        address: SocketAddr,
        tls: Option<TlsIdentity>,
        config: ServerConfig,
    ) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            config,
            tls: TlsHandle(Arc::new(RwLock::new(tls))),
        })
    }

    /// The address it listens at, with the port that the system chose for port 0.
    ///
    /// # Errors
    ///
    /// If the operating system does not know it.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// A handle to replace the certificate.
    #[must_use]
    pub fn tls(&self) -> TlsHandle {
        self.tls.clone()
    }

    /// Serves until `shutdown` completes. Then it accepts no more connections and waits for requests in progress.
    pub async fn serve(
        self,
        handler: Arc<dyn Handler>,
        shutdown: impl Future<Output = ()>,
    ) -> Shutdown {
        let drain = Drain::default();
        tokio::select! {
            () = self.accept_loop(&handler, &drain) => {}
            () = shutdown => {}
        }
        drop(self.listener);
        drain.close();
        let limit = self.config.drain_timeout;
        if timeout(limit, drain.finished()).await.is_ok() {
            return Shutdown::Complete;
        }
        Shutdown::Dropped(drain.drop_all().await)
    }

    /// Does not return.
    async fn accept_loop(&self, handler: &Arc<dyn Handler>, drain: &Drain) {
        let permits = Arc::new(Semaphore::new(self.config.max_connections));
        loop {
            let Ok(permit) = permits.clone().acquire_owned().await else {
                return;
            };
            let (stream, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let (handler, config) = (handler.clone(), self.config.clone());
            let (tls, dropped) = (self.tls.current(), drain.clone());
            let connection = Connection::new(peer, tls.is_some(), drain.clone());
            drain.spawn(async move {
                handler.connection_opened();
                tokio::select! {
                    () = connection::run(connection, stream, tls, &config, handler.clone()) => {}
                    () = dropped.dropped() => {}
                }
                handler.connection_closed();
                drop(permit);
            });
        }
    }
}
