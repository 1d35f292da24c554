//! The server of `atr gate`: HTTP/1.1 and HTTP/2, plain or over TLS.
//!
//! A [`Server`] responds with an [`App`], which can be replaced while it runs.

mod access_log;
mod app;
mod cors;
mod document;
mod metrics;
mod path;

use std::{
    future::Future,
    io,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

pub use app::{App, AppError, Monitor, RouteService};
use atr_http_server::{Connection, Handler, RequestIds, ResponseFuture, TlsHandle};
pub use atr_http_server::{
    RequestId, ServerConfig, Shutdown, TlsError, TlsIdentity, TrustedProxies,
};
pub use cors::Cors;
use http::Request;
use hyper::body::Incoming;

use self::metrics::Metrics;

/// A listening server.
#[derive(Debug)]
pub struct Server {
    server: atr_http_server::Server,
    shared: Arc<Shared>,
}

/// Replaces the app of a running server.
#[derive(Clone, Debug)]
pub struct ServerHandle {
    shared: Arc<Shared>,
    tls: TlsHandle,
}

#[derive(Debug)]
struct Shared {
    app: RwLock<Arc<App>>,
    idle_timeout: Duration,
    metrics: Arc<Metrics>,
    request_ids: RequestIds,
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
        app: App,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            app: RwLock::new(Arc::new(app)),
            idle_timeout: config.idle_timeout,
            metrics: Arc::default(),
            request_ids: RequestIds::default(),
        });
        let server = atr_http_server::Server::bind(address, tls, config).await?;
        Ok(Self { server, shared })
    }

    /// The address it listens at, with the port that the system chose for port 0.
    ///
    /// # Errors
    ///
    /// If the operating system does not know it.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.server.local_address()
    }

    /// A handle to replace the app.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle {
            shared: self.shared.clone(),
            tls: self.server.tls(),
        }
    }

    /// Serves until `shutdown` completes. Then it accepts no more connections and waits for requests in progress.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Shutdown {
        self.server.serve(self.shared, shutdown).await
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
        self.tls.replace_certificate(identity);
    }
}

impl Handler for Shared {
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: &Connection,
    ) -> ResponseFuture {
        let connection = connection.clone();
        // The app of this moment: a reload does not affect requests in progress.
        let app = self
            .app
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Box::pin(async move { app.handle(request, &self, &connection).await })
    }

    fn connection_opened(&self) {
        self.metrics.connection_opened();
    }

    fn connection_closed(&self) {
        self.metrics.connection_closed();
    }
}
