use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{Arc, Mutex},
    task,
};

use alloy::{
    rpc::json_rpc::{RequestPacket, ResponsePacket},
    transports::{TransportError, TransportErrorKind, TransportFut},
};
use serde_json::{Value, json};
use tower::Service;

/// A request as it went out.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Pass,
    /// Passed on, and the answer is lost.
    Swallow,
    /// Not passed on; the line breaks.
    Break,
    /// Not passed on, and answered with this.
    Say(Value),
    /// Not passed on, and answered with an error.
    Refuse(i64, &'static str),
    /// Passed on, and answered with an error all the same: the answer was lost, and a second request refused.
    PassAndRefuse(i64, &'static str),
}

type Rule = dyn Fn(&Asked) -> Action + Send + Sync;

#[derive(Clone)]
pub(crate) struct Line {
    host: String,
    rule: Arc<Rule>,
    asked: Arc<Mutex<Vec<Asked>>>,
    packets: Arc<Mutex<usize>>,
    takes_batches: bool,
}

impl Line {
    pub(crate) fn new(url: &str, rule: impl Fn(&Asked) -> Action + Send + Sync + 'static) -> Self {
        Self {
            host: url.trim_start_matches("http://").to_owned(),
            rule: Arc::new(rule),
            asked: Arc::default(),
            packets: Arc::default(),
            takes_batches: true,
        }
    }

    /// The same line to a node that takes one request at a time.
    pub(crate) fn without_batches(self) -> Self {
        Self {
            takes_batches: false,
            ..self
        }
    }

    /// Everything asked since the last time.
    pub(crate) fn take(&self) -> Vec<Asked> {
        *self.packets.lock().unwrap() = 0;
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// How many times something went over the line since everything was taken.
    pub(crate) fn packets(&self) -> usize {
        *self.packets.lock().unwrap()
    }

    fn carry(&self, packet: &RequestPacket) -> Result<ResponsePacket, TransportError> {
        *self.packets.lock().unwrap() += 1;
        let body = serde_json::to_value(packet).unwrap();
        let answer = match &body {
            Value::Array(_) if !self.takes_batches => {
                return Err(TransportErrorKind::http_error(
                    400,
                    "one at a time".to_owned(),
                ));
            }
            Value::Array(all) => Value::Array(
                all.iter()
                    .map(|one| self.carry_one(one))
                    .collect::<Result<_, _>>()?,
            ),
            one => self.carry_one(one)?,
        };
        Ok(serde_json::from_str(&answer.to_string()).unwrap())
    }

    fn carry_one(&self, request: &Value) -> Result<Value, TransportError> {
        let asked = Asked {
            method: request["method"].as_str().unwrap().to_owned(),
            params: request["params"].clone(),
        };
        self.asked.lock().unwrap().push(asked.clone());
        let broken = || TransportErrorKind::custom_str("the line broke");
        let says = |what: Value| {
            let mut answer = json!({ "jsonrpc": "2.0", "id": request["id"] });
            answer
                .as_object_mut()
                .unwrap()
                .extend(what.as_object().unwrap().clone());
            Ok(answer)
        };
        match (self.rule)(&asked) {
            Action::Pass => Ok(self.post(request)),
            Action::Swallow => {
                self.post(request);
                Err(broken())
            }
            Action::Break => Err(broken()),
            Action::Say(result) => says(json!({ "result": result })),
            Action::PassAndRefuse(code, message) => {
                self.post(request);
                says(json!({ "error": { "code": code, "message": message } }))
            }
            Action::Refuse(code, message) => {
                says(json!({ "error": { "code": code, "message": message } }))
            }
        }
    }

    /// Hands a request to the node itself.
    pub(crate) fn post(&self, request: &Value) -> Value {
        let (host, body) = (&self.host, request.to_string());
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }
}

impl Service<RequestPacket> for Line {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        let line = self.clone();
        Box::pin(async move {
            let carried = tokio::task::spawn_blocking(move || line.carry(&packet));
            carried.await.unwrap()
        })
    }
}
