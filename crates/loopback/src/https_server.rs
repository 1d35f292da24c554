//! A server that behaves.

use std::{
    collections::BTreeMap,
    fmt,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use rustls::{ServerConnection, StreamOwned};

use crate::{Answer, Identity, Request, Wire, acceptor::Acceptor};

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

/// Serves documents over TLS on loopback. They can be changed while it runs; it ends with the value.
#[derive(Debug)]
pub struct HttpsServer {
    acceptor: Acceptor,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    pages: Mutex<BTreeMap<String, Arc<Handler>>>,
    /// Asked when there is no page of that path.
    otherwise: Mutex<Option<Arc<Handler>>>,
    requests: Mutex<Vec<Request>>,
    delay: Mutex<Duration>,
}

impl HttpsServer {
    /// Starts on a free port of 127.0.0.1.
    #[must_use]
    pub fn start(identity: &Identity) -> Self {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), identity)
    }

    /// Starts at an address; port 0 is any free one.
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

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// `https://localhost:<port>`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("https://localhost:{}", self.address().port())
    }

    /// Serves a document at a path from now on.
    pub fn put(&self, path: &str, document: impl Into<Vec<u8>>) {
        let answer = Answer::new(200, document);
        self.route(path, move |_| answer.clone());
    }

    /// Answers at a path as `handler` says from now on.
    pub fn route(&self, path: &str, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        let mut pages = self.state.pages.lock().unwrap();
        pages.insert(path.to_owned(), Arc::new(handler));
    }

    /// Answers at every other path as `handler` says from now on.
    pub fn route_others(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        *self.state.otherwise.lock().unwrap() = Some(Arc::new(handler));
    }

    /// Serves nothing at a path from now on.
    pub fn remove(&self, path: &str) {
        self.state.pages.lock().unwrap().remove(path);
    }

    /// Waits so long before every answer from now on.
    pub fn delay(&self, time: Duration) {
        *self.state.delay.lock().unwrap() = time;
    }

    /// How often a path was asked for.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        let requests = self.state.requests.lock().unwrap();
        requests.iter().filter(|asked| asked.path() == path).count()
    }

    /// Every request so far, in order.
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
        let page = self.pages.lock().unwrap().get(request.path()).cloned();
        let handler = page.or_else(|| self.otherwise.lock().unwrap().clone());
        let answer = handler.map_or_else(
            || Answer::new(404, "nothing here"),
            |handler| handler(&request),
        );
        // A client that left does not listen any more.
        let _ = answer.write(stream);
        stream.close();
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pages = self.pages.lock().unwrap();
        f.debug_set().entries(pages.keys()).finish()
    }
}
