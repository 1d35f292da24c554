//! The server of `atr gate`: HTTP/1.1 and HTTP/2, plain or over TLS.
//!
//! A [`Server`] answers with an [`App`], which can be replaced while it runs.

mod access_log;
mod activity;
mod app;
mod connection;
mod cors;
mod document;
mod forwarded;
mod metrics;
mod path;
mod request_id;
mod stall;
mod tls;

use std::{
    future::Future,
    io,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::{
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};

pub use app::{App, AppError, Monitor, RouteService};
pub use cors::Cors;
pub use forwarded::TrustedProxies;
pub use request_id::RequestId;
pub use tls::{TlsError, TlsIdentity};

use self::{connection::Connection, metrics::Metrics, request_id::RequestIds};
use crate::drain::Drain;

/// Pause after `accept` failed, for example because the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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
    /// All requests were answered.
    Complete,
    /// The drain timeout passed; this many connections and requests were dropped.
    Dropped(usize),
}

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// Replaces the app of a running server.
#[derive(Clone, Debug)]
pub struct ServerHandle {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    config: ServerConfig,
    app: RwLock<Arc<App>>,
    tls: RwLock<Option<TlsIdentity>>,
    drain: Drain,
    metrics: Arc<Metrics>,
    request_ids: RequestIds,
}

impl Shared {
    fn app(&self) -> Arc<App> {
        self.app
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn tls(&self) -> Option<TlsIdentity> {
        self.tls
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Server {
    /// Listens at an address. Clients can connect from now on; they are answered once [`Self::serve`] runs.
    ///
    /// # Errors
    ///
    /// If the address is in use or not available.
    pub async fn bind(
        address: SocketAddr,
        tls: Option<TlsIdentity>,
        config: ServerConfig,
        app: App,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self {
            listener,
            shared: Arc::new(Shared {
                config,
                app: RwLock::new(Arc::new(app)),
                tls: RwLock::new(tls),
                drain: Drain::default(),
                metrics: Arc::default(),
                request_ids: RequestIds::default(),
            }),
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

    /// A handle to replace the app.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle {
            shared: self.shared.clone(),
        }
    }

    /// Serves until `shutdown` completes. Then it accepts no more connections and waits for requests in progress.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Shutdown {
        let Self { listener, shared } = self;
        tokio::select! {
            () = accept_loop(&listener, &shared) => {}
            () = shutdown => {}
        }
        drop(listener);
        shared.drain.close();
        let limit = shared.config.drain_timeout;
        if timeout(limit, shared.drain.finished()).await.is_ok() {
            return Shutdown::Complete;
        }
        Shutdown::Dropped(shared.drain.drop_all().await)
    }
}

impl ServerHandle {
    /// Replaces the app. Requests in progress keep the old one.
    pub fn replace_app(&self, app: App) {
        let mut current = self
            .shared
            .app
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(app);
    }

    /// Replaces the certificate for new connections of a server with TLS.
    pub fn replace_certificate(&self, identity: TlsIdentity) {
        let mut current = self
            .shared
            .tls
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if current.is_some() {
            *current = Some(identity);
        }
    }
}

/// Does not return.
async fn accept_loop(listener: &TcpListener, shared: &Arc<Shared>) {
    let permits = Arc::new(Semaphore::new(shared.config.max_connections));
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let connection = Connection::run(shared.clone(), stream, peer);
                shared.drain.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
