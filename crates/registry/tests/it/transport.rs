use std::{
    sync::{Arc, Mutex},
    task,
};

use alloy::{
    rpc::json_rpc::{RequestPacket, ResponsePacket},
    transports::{TransportError, TransportErrorKind, TransportFut},
};
use serde_json::{Value, json};
use tower::Service;

/// A request that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// How to handle a request.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Forward,
    /// Not forwarded; responds with this result.
    Return(Value),
    /// Not forwarded; responds with this error.
    Fail(i64, &'static str),
}

type Rule = dyn Fn(&Request) -> Action + Send + Sync;

#[derive(Clone)]
pub(crate) struct TestTransport {
    url: String,
    rule: Arc<Rule>,
    requests: Arc<Mutex<Vec<Request>>>,
    packets: Arc<Mutex<usize>>,
    supports_batches: bool,
}

impl TestTransport {
    pub(crate) fn new(
        url: &str,
        rule: impl Fn(&Request) -> Action + Send + Sync + 'static,
    ) -> Self {
        Self {
            url: url.to_owned(),
            rule: Arc::new(rule),
            requests: Arc::default(),
            packets: Arc::default(),
            supports_batches: true,
        }
    }

    /// Simulates a node without support for JSON-RPC batches.
    pub(crate) fn without_batches(self) -> Self {
        Self {
            supports_batches: false,
            ..self
        }
    }

    /// The requests since the last call.
    pub(crate) fn take_requests(&self) -> Vec<Request> {
        *self.packets.lock().unwrap() = 0;
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// Number of HTTP requests since the last `take_requests`; a batch counts once.
    pub(crate) fn packets(&self) -> usize {
        *self.packets.lock().unwrap()
    }

    fn send(&self, packet: &RequestPacket) -> Result<ResponsePacket, TransportError> {
        *self.packets.lock().unwrap() += 1;
        let body = serde_json::to_value(packet).unwrap();
        let response = match &body {
            Value::Array(_) if !self.supports_batches => {
                return Err(TransportErrorKind::http_error(
                    400,
                    "batches are not supported".to_owned(),
                ));
            }
            Value::Array(batch) => Value::Array(
                batch
                    .iter()
                    .map(|request| self.send_one(request))
                    .collect::<Result<_, _>>()?,
            ),
            request => self.send_one(request)?,
        };
        Ok(serde_json::from_str(&response.to_string()).unwrap())
    }

    fn send_one(&self, request: &Value) -> Result<Value, TransportError> {
        let sent = Request {
            method: request["method"].as_str().unwrap().to_owned(),
            params: request["params"].clone(),
        };
        self.requests.lock().unwrap().push(sent.clone());
        let respond = |body: Value| {
            let mut response = json!({ "jsonrpc": "2.0", "id": request["id"] });
            response
                .as_object_mut()
                .unwrap()
                .extend(body.as_object().unwrap().clone());
            Ok(response)
        };
        match (self.rule)(&sent) {
            Action::Forward => Ok(self.post(request)),
            Action::Return(result) => respond(json!({ "result": result })),
            Action::Fail(code, message) => {
                respond(json!({ "error": { "code": code, "message": message } }))
            }
        }
    }

    /// Sends a request to the node directly.
    pub(crate) fn post(&self, request: &Value) -> Value {
        let response = atr_loopback::post(&self.url, request.to_string().as_bytes());
        serde_json::from_slice(&response).unwrap()
    }
}

impl Service<RequestPacket> for TestTransport {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        let transport = self.clone();
        Box::pin(async move {
            let response = tokio::task::spawn_blocking(move || transport.send(&packet));
            response.await.unwrap()
        })
    }
}
