//! A JSON-RPC proxy with programmable failures. It records the requests.

use std::{
    collections::BTreeMap,
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{Request, Response, post};

/// How to handle an RPC request.
#[derive(Clone, Debug)]
pub enum Action {
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
    Return(Value),
    /// Not forwarded; responds with a JSON-RPC error with this message.
    Fail(&'static str),
    /// Not forwarded; responds with this JSON-RPC error.
    Error(Value),
    /// Forwarded; responds with this JSON-RPC error.
    ForwardAndFail(&'static str),
    /// Forwarded; the result is changed.
    Change(fn(&mut Value)),
}

/// An RPC request. `nth` counts the requests with the same method from 1.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct RpcRequest {
    pub method: String,
    pub params: Value,
    pub nth: usize,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
}

/// A proxy in front of a node. Batches are forwarded.
#[derive(Debug)]
pub struct RpcProxy {
    /// URL of the proxy.
    pub url: String,
    state: Arc<State>,
    held: Mutex<Receiver<RpcRequest>>,
}

#[derive(Debug)]
struct State {
    upstream: String,
    requests: Mutex<Vec<RpcRequest>>,
    open: Mutex<Vec<TcpStream>>,
    holds: Mutex<Sender<RpcRequest>>,
}

type Rule = dyn Fn(&RpcRequest) -> Action + Send + Sync;

impl RpcProxy {
    /// Starts a proxy that handles each request as `rule` says.
    pub fn start(
        upstream: &str,
        rule: impl Fn(&RpcRequest) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (sender, held) = mpsc::channel();
        let state = Arc::new(State {
            upstream: upstream.to_owned(),
            requests: Mutex::default(),
            open: Mutex::default(),
            holds: Mutex::new(sender),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (shared, rule): (_, Arc<Rule>) = (state.clone(), Arc::new(rule));
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (shared, rule) = (shared.clone(), rule.clone());
                thread::spawn(move || shared.handle(stream, rule.as_ref()));
            }
        });
        Self {
            url,
            state,
            held: Mutex::new(held),
        }
    }

    /// All requests, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RpcRequest> {
        self.state.requests.lock().unwrap().clone()
    }

    /// The methods of all requests, in order.
    #[must_use]
    pub fn methods(&self) -> Vec<String> {
        let requests = self.requests().into_iter();
        requests.map(|request| request.method).collect()
    }

    /// Number of requests by method.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for method in self.methods() {
            *counts.entry(method).or_default() += 1;
        }
        counts
    }

    /// Waits until a request is held.
    #[must_use]
    pub fn wait_until_held(&self) -> RpcRequest {
        let held = self.held.lock().unwrap();
        let held = held.recv_timeout(Duration::from_secs(60));
        held.expect("the rule holds a request")
    }
}

impl State {
    fn handle(&self, mut stream: TcpStream, rule: &Rule) {
        let Some(http) = Request::read(&mut stream) else {
            return;
        };
        let body: Value = serde_json::from_slice(&http.body).unwrap();
        let forward =
            || -> Value { serde_json::from_slice(&post(&self.upstream, &http.body)).unwrap() };
        let respond = |status, body: String| {
            // The client may be gone.
            let _ = Response::new(status, body).write(&mut &stream);
        };
        let Some(method) = body["method"].as_str() else {
            return respond(200, forward().to_string());
        };
        let request = self.record(method, &body, http.headers.clone());
        let error = |message| json!({ "jsonrpc": "2.0", "id": body["id"], "error": { "code": -32000, "message": message } });
        match rule(&request) {
            Action::Forward => respond(200, forward().to_string()),
            Action::ForwardTwice => {
                forward();
                respond(200, forward().to_string());
            }
            Action::HttpStatus(status) => respond(status, "unavailable".to_owned()),
            Action::Hold => self.hold(request, stream),
            Action::ForwardAndHold => {
                forward();
                self.hold(request, stream);
            }
            Action::Disconnect => drop(stream),
            Action::Fail(message) => respond(200, error(message).to_string()),
            Action::Error(error) => {
                let response = json!({ "jsonrpc": "2.0", "id": body["id"], "error": error });
                respond(200, response.to_string());
            }
            Action::ForwardAndFail(message) => {
                forward();
                respond(200, error(message).to_string());
            }
            Action::Return(result) => {
                let response = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
                respond(200, response.to_string());
            }
            Action::Change(change) => {
                let mut response = forward();
                change(&mut response["result"]);
                respond(200, response.to_string());
            }
        }
    }

    fn record(&self, method: &str, body: &Value, headers: Vec<(String, String)>) -> RpcRequest {
        let mut requests = self.requests.lock().unwrap();
        let same = requests.iter().filter(|other| other.method == method);
        let request = RpcRequest {
            method: method.to_owned(),
            params: body["params"].clone(),
            nth: same.count() + 1,
            headers,
        };
        requests.push(request.clone());
        request
    }

    fn hold(&self, request: RpcRequest, stream: TcpStream) {
        self.open.lock().unwrap().push(stream);
        let _ = self.holds.lock().unwrap().send(request);
    }
}
