use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use atr_gate::{Body, BoxError, GateContext};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use tokio::sync::Semaphore;
use tower::Service;

use crate::facilitator::Log;

/// A request as the handler saw it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) headers: HeaderMap,
    pub(crate) context: Option<GateContext>,
    pub(crate) body: Bytes,
}

type Respond = dyn Fn() -> Response<Body> + Send + Sync;

/// A service that records requests.
#[derive(Clone)]
pub(crate) struct Handler {
    calls: Arc<Mutex<Vec<Call>>>,
    respond: Arc<Respond>,
    log: Log,
    /// Calls wait for a permit.
    permits: Arc<Semaphore>,
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

    pub(crate) fn new<B>(respond: impl Fn() -> Response<B> + Send + Sync + 'static) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self {
            calls: Arc::default(),
            respond: Arc::new(move || {
                respond().map(|body| body.map_err(Into::into).boxed_unsync())
            }),
            log: Log::default(),
            permits: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        }
    }

    pub(crate) fn with_log(mut self, log: &Log) -> Self {
        self.log = log.clone();
        self
    }

    /// Calls wait until the semaphore has permits.
    pub(crate) fn waiting_for(mut self, permits: &Arc<Semaphore>) -> Self {
        self.permits = permits.clone();
        self
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

impl Service<Request<Body>> for Handler {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let handler = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            handler.calls.lock().unwrap().push(Call {
                headers: parts.headers,
                context: parts.extensions.get().cloned(),
                body,
            });
            handler.log.push("handler");
            let _permit = handler.permits.acquire().await.unwrap();
            Ok((handler.respond)())
        })
    }
}
