//! A JSON-RPC proxy with programmable failures. It records the requests.

use std::{
    collections::BTreeMap,
    io::Write,
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
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
    /// Forwarded; the connection is closed after half of the response.
    Truncate,
    /// Not forwarded; responds with this result.
    Return(Value),
    /// Not forwarded; responds with a JSON-RPC error with this message.
    Fail(&'static str),
    /// Not forwarded; responds with this JSON-RPC error.
    Error(Value),
    /// Not forwarded; responds with a JSON-RPC error that has this code.
    FailWithCode(i64, &'static str),
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
    /// Number of the HTTP request, from 1. The requests of a batch share it.
    pub round: usize,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
}

/// A proxy in front of a node. The rule applies to each request of a batch; what closes or holds a connection applies to all of it.
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
    rounds: AtomicUsize,
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
            rounds: AtomicUsize::new(0),
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

    /// Number of HTTP requests; a batch counts once.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.state.rounds.load(Ordering::SeqCst)
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
        let round = self.rounds.fetch_add(1, Ordering::SeqCst) + 1;
        let body: Value = serde_json::from_slice(&http.body).unwrap();
        let entries = match &body {
            Value::Array(entries) => entries.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut responses = Vec::new();
        let (mut held, mut is_truncated) = (None, false);
        for entry in entries {
            let request = self.record(entry, round, http.headers.clone());
            match rule(&request) {
                Action::HttpStatus(status) => {
                    // The client may be gone.
                    let _ = Response::new(status, "unavailable").write(&mut &stream);
                    return;
                }
                Action::Disconnect => return,
                Action::Truncate => {
                    is_truncated = true;
                    responses.push(self.forward(entry));
                }
                Action::Hold => held = Some(request),
                Action::ForwardAndHold => {
                    self.forward(entry);
                    held = Some(request);
                }
                action => responses.push(self.respond(entry, action)),
            }
        }
        if let Some(request) = held {
            return self.hold(request, stream);
        }
        let response = match body {
            Value::Array(_) => Value::Array(responses),
            _ => responses.remove(0),
        };
        let body = response.to_string();
        if is_truncated {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = (&stream).write_all(head.as_bytes());
            let _ = (&stream).write_all(&body.as_bytes()[..body.len() / 2]);
            return;
        }
        let _ = Response::new(200, body).write(&mut &stream);
    }

    fn forward(&self, entry: &Value) -> Value {
        serde_json::from_slice(&post(&self.upstream, entry.to_string().as_bytes())).unwrap()
    }

    fn respond(&self, entry: &Value, action: Action) -> Value {
        let respond = |member: &str, value: Value| json!({ "jsonrpc": "2.0", "id": entry["id"], member: value });
        let fail =
            |code: i64, message| respond("error", json!({ "code": code, "message": message }));
        match action {
            Action::ForwardTwice => {
                self.forward(entry);
                self.forward(entry)
            }
            Action::Fail(message) => fail(-32000, message),
            Action::FailWithCode(code, message) => fail(code, message),
            Action::Error(error) => respond("error", error),
            Action::ForwardAndFail(message) => {
                self.forward(entry);
                fail(-32000, message)
            }
            Action::Return(result) => respond("result", result),
            Action::Change(change) => {
                let mut response = self.forward(entry);
                change(&mut response["result"]);
                response
            }
            _ => self.forward(entry),
        }
    }

    fn record(&self, entry: &Value, round: usize, headers: Vec<(String, String)>) -> RpcRequest {
        let method = entry["method"].as_str().unwrap();
        let mut requests = self.requests.lock().unwrap();
        let same = requests.iter().filter(|other| other.method == method);
        let request = RpcRequest {
            method: method.to_owned(),
            params: entry["params"].clone(),
            nth: same.count() + 1,
            round,
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
