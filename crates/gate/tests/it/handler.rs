use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use atr_gate::{Body, GateContext};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use tower::Service;

/// A request as the handler saw it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) headers: HeaderMap,
    pub(crate) context: Option<GateContext>,
}

type Respond = dyn Fn() -> Response<Full<Bytes>> + Send + Sync;

/// A service that records requests.
#[derive(Clone)]
pub(crate) struct Handler {
    calls: Arc<Mutex<Vec<Call>>>,
    respond: Arc<Respond>,
}

impl Handler {
    /// Responds with a JSON document.
    pub(crate) fn json(document: &'static str) -> Self {
        Self::new(move || {
            Response::builder()
                .header("content-type", "application/json")
                .body(Full::new(Bytes::from_static(document.as_bytes())))
                .unwrap()
        })
    }

    pub(crate) fn new(respond: impl Fn() -> Response<Full<Bytes>> + Send + Sync + 'static) -> Self {
        Self {
            calls: Arc::default(),
            respond: Arc::new(respond),
        }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

impl Service<Request<Body>> for Handler {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.calls.lock().unwrap().push(Call {
            headers: request.headers().clone(),
            context: request.extensions().get().cloned(),
        });
        ready(Ok((self.respond)()))
    }
}
