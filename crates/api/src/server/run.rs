//! Accepts connections, and finishes them at the end.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use http::Request;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use tokio::{net::TcpListener, sync::Semaphore};
use tower::ServiceExt;

use super::Peer;

/// Connections at the same time.
const MAX_CONNECTIONS: usize = 4_096;

/// Time for the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);

/// Time for requests in progress at the end.
const DRAIN: Duration = Duration::from_secs(10);

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen at {address}")]
pub struct ServerError {
    #[expect(missing_docs, reason = "plain data")]
    pub address: SocketAddr,
    source: io::Error,
}

/// A bound server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens at an address; port 0 chooses a free one.
    ///
    /// # Errors
    ///
    /// If the address is in use or not allowed.
    pub async fn bind(address: SocketAddr) -> Result<Self, ServerError> {
        let error = |source| ServerError { address, source };
        let listener = TcpListener::bind(address).await.map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        Ok(Self { listener, address })
    }

    /// The address with the chosen port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is ready, then finishes the requests in progress. Returns whether all of them ended in time.
    pub async fn serve(self, router: Router, stop: impl Future<Output = ()> + Send) -> bool {
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = async {
                // Never closed.
                let permit = connections.clone().acquire_owned().await.ok();
                (self.listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                accepted = accepted => accepted,
                () = &mut stop => break,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Such as too many open files.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let router = router.clone();
            let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(Peer(peer));
                let response = router.clone().oneshot(request.map(Body::new));
                async move { Ok::<_, Infallible>(response.await.unwrap_or_else(|never| match never {})) }
            });
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT);
            builder
                .http2()
                .timer(TokioTimer::new())
                .max_concurrent_streams(100);
            let connection = builder
                .serve_connection(TokioIo::new(stream), service)
                .into_owned();
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection ended");
                }
                drop(permit);
            });
        }
        drop(self.listener);
        tokio::time::timeout(DRAIN, graceful.shutdown())
            .await
            .is_ok()
    }
}
