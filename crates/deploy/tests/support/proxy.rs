//! A JSON-RPC proxy with programmable failures. It records the requests.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
};

use serde_json::{Value, json};

use super::http::{self, HttpRequest};

/// How to handle a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Forwarded.
    Forward,
    /// Forwarded twice; returns the second response.
    ForwardTwice,
    /// Not forwarded; responds with this HTTP status.
    HttpStatus(u16),
    /// Not forwarded; no response.
    Hold,
    /// Forwarded; no response.
    ForwardAndHold,
    /// Not forwarded; the connection is closed.
    Disconnect,
    /// Not forwarded; responds with this result.
    Return(Option<&'static str>),
    /// Not forwarded; responds with this JSON-RPC error.
    Fail(&'static str),
}

/// A request. `nth` counts the requests with the same method from 1.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) params: Value,
    pub(crate) nth: usize,
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    state: Arc<State>,
    held: Receiver<Request>,
}

struct State {
    upstream: String,
    methods: Mutex<Vec<String>>,
    /// Connections without a response stay open, so that the client runs into its timeout.
    open: Mutex<Vec<TcpStream>>,
    holds: Mutex<Sender<Request>>,
}

impl Proxy {
    pub(crate) fn start(
        upstream: &str,
        rule: impl Fn(&Request) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (sender, held) = mpsc::channel();
        let state = Arc::new(State {
            upstream: upstream.to_owned(),
            methods: Mutex::default(),
            open: Mutex::default(),
            holds: Mutex::new(sender),
        });
        let (shared, rule) = (state.clone(), Arc::new(rule));
        let url = http::serve(move |http, stream| shared.handle(&http, stream, rule.as_ref()));
        Self { url, state, held }
    }

    /// The methods of all requests, in order.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.state.methods.lock().unwrap().clone()
    }

    /// Number of requests by method.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for method in self.methods() {
            *counts.entry(method).or_default() += 1;
        }
        counts
    }

    /// Waits until a request is held.
    pub(crate) fn wait_until_held(&self) -> Request {
        let limit = std::time::Duration::from_secs(60);
        self.held
            .recv_timeout(limit)
            .expect("the rule holds a request")
    }
}

impl State {
    fn handle(
        &self,
        http: &HttpRequest,
        stream: TcpStream,
        rule: &(dyn Fn(&Request) -> Action + Sync),
    ) {
        let body: Value = serde_json::from_slice(&http.body).unwrap();
        let method = body["method"].as_str().unwrap().to_owned();
        let nth = {
            let mut methods = self.methods.lock().unwrap();
            methods.push(method.clone());
            methods.iter().filter(|other| **other == method).count()
        };
        let params = body["params"].clone();
        let request = Request {
            method,
            params,
            nth,
        };
        let forward = || atr_loopback::post(&self.upstream, &http.body);
        match rule(&request) {
            Action::Forward => http::respond(stream, 200, &forward()),
            Action::ForwardTwice => {
                forward();
                http::respond(stream, 200, &forward());
            }
            Action::HttpStatus(status) => http::respond(stream, status, b"unavailable"),
            Action::Hold => self.hold(request, stream),
            Action::ForwardAndHold => {
                forward();
                self.hold(request, stream);
            }
            Action::Disconnect => drop(stream),
            Action::Fail(message) => {
                let error = json!({ "code": -32000, "message": message });
                let response = json!({ "jsonrpc": "2.0", "id": body["id"], "error": error });
                http::respond(stream, 200, response.to_string().as_bytes());
            }
            Action::Return(result) => {
                let response = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
                http::respond(stream, 200, response.to_string().as_bytes());
            }
        }
    }

    fn hold(&self, request: Request, stream: TcpStream) {
        self.open.lock().unwrap().push(stream);
        let _ = self.holds.lock().unwrap().send(request);
    }
}
