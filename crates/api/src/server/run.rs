//! The listening server.

use std::{io, net::SocketAddr, sync::Arc};

use atr_http_server::{Connection, Handler, ResponseFuture, Shutdown};
use axum::{Router, body::Body};
use http::Request;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tower::ServiceExt;

use super::{Peer, ServerConfig};

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
    server: atr_http_server::Server,
    address: SocketAddr,
}

#[derive(Debug)]
struct Routes(Router);

impl Server {
    /// Listens at an address; port 0 chooses a free one.
    ///
    /// # Errors
    ///
    /// If the address is in use or not allowed.
    pub async fn bind(address: SocketAddr, config: &ServerConfig) -> Result<Self, ServerError> {
        let error = |source| ServerError { address, source };
        let server = atr_http_server::Server::bind(address, None, config.connections.clone())
            .await
            .map_err(error)?;
        let address = server.local_address().map_err(error)?;
        Ok(Self { server, address })
    }

    /// The address with the chosen port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is ready, then finishes the requests in progress. Returns whether all of them ended in time.
    pub async fn serve(self, router: Router, stop: impl Future<Output = ()> + Send) -> bool {
        self.server.serve(Arc::new(Routes(router)), stop).await == Shutdown::Complete
    }
}

impl Handler for Routes {
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: &Connection,
    ) -> ResponseFuture {
        let active = connection.begin_request();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(connection.peer));
        let response = self.0.clone().oneshot(request);
        Box::pin(async move {
            let response = response.await.unwrap_or_else(|never| match never {});
            // The request is active until the last frame of its response.
            let frames = move |frame| {
                let _ = &active;
                frame
            };
            response.map(|body| body.map_frame(frames).map_err(Into::into).boxed_unsync())
        })
    }
}
