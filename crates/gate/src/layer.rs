//! The gate as a tower layer.

use std::{
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use tower::{Layer, Service};

use crate::{Body, BoxError, Gate, body::boxed};

/// The handler, called at most once.
pub(crate) type Handler<E> = Box<dyn FnOnce(Request<Body>) -> HandlerFuture<E> + Send>;

/// The response of the handler.
pub(crate) type HandlerFuture<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

/// Puts a gate in front of a service.
#[derive(Clone, Debug)]
pub struct GateLayer {
    gate: Arc<Gate>,
}

impl GateLayer {
    /// A layer that decides by this gate.
    #[must_use]
    pub const fn new(gate: Arc<Gate>) -> Self {
        Self { gate }
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        GateService {
            gate: self.gate.clone(),
            inner,
        }
    }
}

/// A service behind a gate. Rejected requests do not reach it; admitted ones carry a
/// [`GateContext`](crate::GateContext) in their extensions.
#[derive(Clone, Debug)]
pub struct GateService<S> {
    gate: Arc<Gate>,
    inner: S,
}

impl<S, RequestBody, ResponseBody> Service<Request<RequestBody>> for GateService<S>
where
    S: Service<Request<Body>, Response = Response<ResponseBody>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    RequestBody: http_body::Body<Data = Bytes> + Send + 'static,
    RequestBody::Error: Into<BoxError>,
    ResponseBody: http_body::Body<Data = Bytes> + Send + 'static,
    ResponseBody::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        // The service that is ready, not its clone.
        let clone = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, clone);
        let call: Handler<S::Error> = Box::new(move |request| erase(inner.call(request)));
        Box::pin(self.gate.clone().handle(request.map(boxed), call))
    }
}

/// Erases the type of a response and its future.
fn erase<F, B, E>(response: F) -> HandlerFuture<E>
where
    F: Future<Output = Result<Response<B>, E>> + Send + 'static,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Box::pin(async move { Ok(response.await?.map(boxed)) })
}
