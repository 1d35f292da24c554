//! A well-behaved HTTPS server.

use std::{
    collections::BTreeMap,
    fmt,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use rustls::{ServerConnection, StreamOwned};

use crate::{Connection, Identity, Request, Response, acceptor::Acceptor};

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// Serves documents over HTTPS on loopback. Documents can change at run time. The server stops when it is dropped.
#[derive(Debug)]
pub struct HttpsServer {
    acceptor: Acceptor,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    routes: Mutex<BTreeMap<String, Arc<Handler>>>,
    /// Handles paths without a route.
    fallback: Mutex<Option<Arc<Handler>>>,
    requests: Mutex<Vec<Request>>,
    delay: Mutex<Duration>,
}

impl HttpsServer {
    /// Starts on a free port of 127.0.0.1.
    #[must_use]
    pub fn start(identity: &Identity) -> Self {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), identity)
    }

    /// Starts at an address. Port 0 selects a free port.
    #[must_use]
    pub fn start_at(address: SocketAddr, identity: &Identity) -> Self {
        let state = Arc::<State>::default();
        let (shared, config) = (state.clone(), identity.config());
        let acceptor = Acceptor::start(address, move |stream| {
            let connection = ServerConnection::new(config.clone()).unwrap();
            shared.serve(&mut StreamOwned::new(connection, stream));
        });
        Self { acceptor, state }
    }

    /// Listening address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// `https://localhost:<port>`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("https://localhost:{}", self.address().port())
    }

    /// Serves a document at a path, with status 200.
    pub fn put(&self, path: &str, document: impl Into<Vec<u8>>) {
        let response = Response::new(200, document);
        self.route(path, move |_| response.clone());
    }

    /// Handles requests for a path.
    pub fn route(
        &self,
        path: &str,
        handler: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) {
        let mut routes = self.state.routes.lock().unwrap();
        routes.insert(path.to_owned(), Arc::new(handler));
    }

    /// Handles requests for paths without a route.
    pub fn fallback(&self, handler: impl Fn(&Request) -> Response + Send + Sync + 'static) {
        *self.state.fallback.lock().unwrap() = Some(Arc::new(handler));
    }

    /// Removes the route of a path.
    pub fn remove(&self, path: &str) {
        self.state.routes.lock().unwrap().remove(path);
    }

    /// Delays every response.
    pub fn delay(&self, time: Duration) {
        *self.state.delay.lock().unwrap() = time;
    }

    /// Number of requests for a path.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        let requests = self.state.requests.lock().unwrap();
        requests
            .iter()
            .filter(|request| request.path() == path)
            .count()
    }

    /// All requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }
}

impl State {
    fn serve(&self, stream: &mut StreamOwned<ServerConnection, TcpStream>) {
        let Some(request) = Request::read(stream) else {
            return;
        };
        self.requests.lock().unwrap().push(request.clone());
        let delay = *self.delay.lock().unwrap();
        thread::sleep(delay);
        let route = self.routes.lock().unwrap().get(request.path()).cloned();
        let handler = route.or_else(|| self.fallback.lock().unwrap().clone());
        let response = handler.map_or_else(
            || Response::new(404, "not found"),
            |handler| handler(&request),
        );
        // The client may have closed the connection.
        let _ = response.write(stream);
        stream.close();
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routes = self.routes.lock().unwrap();
        f.debug_set().entries(routes.keys()).finish()
    }
}
