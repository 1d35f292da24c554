//! A node behind a bad line: passes requests on to the real one, or does not, and remembers what was asked.

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

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It is passed on, and so is the answer.
    Pass,
    /// It is passed on twice; the second answer counts.
    Twice,
    /// It is refused with a status.
    Refuse(u16),
    /// It is not passed on, and there is no answer.
    HoldBack,
    /// It is passed on, and there is no answer.
    Swallow,
    /// It is not passed on, and the line breaks.
    Break,
    /// It is not passed on, and answered with this: nothing, or a text.
    Say(Option<&'static str>),
    /// It is not passed on, and answered with an error.
    Fail(&'static str),
}

/// A request: its method, and how many of that method came before, this one included.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) params: Value,
    pub(crate) nth: usize,
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    state: Arc<State>,
    held: Receiver<Asked>,
}

struct State {
    upstream: String,
    asked: Mutex<Vec<String>>,
    /// Connections that are never answered are kept here, so that the other side has to give up by itself.
    open: Mutex<Vec<TcpStream>>,
    holds: Mutex<Sender<Asked>>,
}

impl Proxy {
    pub(crate) fn start(
        upstream: &str,
        rule: impl Fn(&Asked) -> Action + Send + Sync + 'static,
    ) -> Self {
        let (sender, held) = mpsc::channel();
        let state = Arc::new(State {
            upstream: upstream.to_owned(),
            asked: Mutex::default(),
            open: Mutex::default(),
            holds: Mutex::new(sender),
        });
        let (shared, rule) = (state.clone(), Arc::new(rule));
        let url =
            http::serve(move |request, stream| shared.handle(&request, stream, rule.as_ref()));
        Self { url, state, held }
    }

    /// The methods that were asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state.asked.lock().unwrap().clone()
    }

    /// How often each method was asked for.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for method in self.asked() {
            *counts.entry(method).or_default() += 1;
        }
        counts
    }

    /// Waits until a request is held back or swallowed.
    pub(crate) fn wait_until_held(&self) -> Asked {
        let limit = std::time::Duration::from_secs(60);
        self.held
            .recv_timeout(limit)
            .expect("the rule holds a request back")
    }
}

impl State {
    fn handle(
        &self,
        request: &HttpRequest,
        stream: TcpStream,
        rule: &(dyn Fn(&Asked) -> Action + Sync),
    ) {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let method = body["method"].as_str().unwrap().to_owned();
        let nth = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(method.clone());
            asked.iter().filter(|other| **other == method).count()
        };
        let params = body["params"].clone();
        let asked = Asked {
            method,
            params,
            nth,
        };
        let pass_on = || atr_loopback::post(&self.upstream, &request.body);
        match rule(&asked) {
            Action::Pass => http::answer(stream, 200, &pass_on()),
            Action::Twice => {
                pass_on();
                http::answer(stream, 200, &pass_on());
            }
            Action::Refuse(status) => http::answer(stream, status, b"out of breath"),
            Action::HoldBack => self.hold(asked, stream),
            Action::Swallow => {
                pass_on();
                self.hold(asked, stream);
            }
            Action::Break => drop(stream),
            Action::Fail(message) => {
                let error = json!({ "code": -32000, "message": message });
                let answer = json!({ "jsonrpc": "2.0", "id": body["id"], "error": error });
                http::answer(stream, 200, answer.to_string().as_bytes());
            }
            Action::Say(result) => {
                let answer = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
                http::answer(stream, 200, answer.to_string().as_bytes());
            }
        }
    }

    fn hold(&self, asked: Asked, stream: TcpStream) {
        self.open.lock().unwrap().push(stream);
        let _ = self.holds.lock().unwrap().send(asked);
    }
}
