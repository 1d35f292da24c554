//! A gate in front of an MCP server (streamable HTTP): each of its tools has a gate of its own.
//!
//! Messages other than `tools/call` pass, so that clients can connect and list the tools. A call carries its credential in
//! `params._meta["x402/payment"]`, or in an HTTP header. A demand for payment is a tool result with `isError` and the challenge of
//! x402 v2 as `structuredContent`; so is any other rejection, with its code. The receipt of a payment is in the result's
//! `_meta["x402/payment-response"]`.

mod events;
mod message;

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{ACCEPT_ENCODING, ALLOW, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, UPGRADE},
};
use http_body::Body as _;
use tower::{Layer, Service, ServiceExt};

use self::message::{InvalidMessage, Message};
use crate::{
    Body, Gate, GateLayer, Rejection, ToolSchemas,
    body::{self, ReadError, full},
    challenge,
    payment::FailureCheck,
    request_headers,
    schemas::{check_charset, is_json},
};

/// Receipts of x402 v2 and v1.
const RECEIPTS: [HeaderName; 2] = [
    HeaderName::from_static("payment-response"),
    HeaderName::from_static("x-payment-response"),
];

const CHALLENGE: HeaderName = HeaderName::from_static("payment-required");

/// A tool of an MCP server.
#[derive(Clone, Debug)]
pub struct McpTool {
    /// Decides who may call it. Its own schemas must be empty: they would be applied to whole messages.
    pub gate: Arc<Gate>,
    /// The input schema validates the arguments of a call.
    pub schemas: ToolSchemas,
}

/// Puts gates in front of the tools of an MCP server.
#[derive(Clone, Debug)]
pub struct McpLayer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tools: BTreeMap<String, McpTool>,
    free: BTreeSet<String>,
    max_bytes: usize,
}

impl McpLayer {
    /// Gates by the name of the MCP tool. Tools in `free` can be called by everyone; all others are refused.
    #[must_use]
    pub fn new(
        tools: BTreeMap<String, McpTool>,
        free: BTreeSet<String>,
        max_message_bytes: usize,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                tools,
                free,
                max_bytes: max_message_bytes,
            }),
        }
    }
}

impl<S> Layer<S> for McpLayer {
    type Service = McpService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        McpService {
            shared: self.shared.clone(),
            inner,
        }
    }
}

/// An MCP server whose tools are gated.
#[derive(Clone, Debug)]
pub struct McpService<S> {
    shared: Arc<Shared>,
    inner: S,
}

impl<S> Service<Request<Body>> for McpService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Each request uses a clone of its own.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let (shared, inner) = (self.shared.clone(), self.inner.clone());
        let headers = request.headers_mut();
        request_headers::remove_method_overrides(headers);
        // Receipts and failures are in the content.
        headers.remove(ACCEPT_ENCODING);
        if request.headers().contains_key(UPGRADE) {
            return Box::pin(async { Ok(method_not_allowed()) });
        }
        match *request.method() {
            Method::POST => Box::pin(async move { Ok(shared.handle(request, inner).await) }),
            // Opens a stream for messages of the server, or ends a session.
            Method::GET | Method::DELETE if request.body().is_end_stream() => {
                request_headers::remove_credentials(request.headers_mut());
                send(inner, request)
            }
            // A server that accepts messages with other methods would serve calls that were not read here.
            _ => Box::pin(async { Ok(method_not_allowed()) }),
        }
    }
}

fn method_not_allowed() -> Response<Body> {
    let text =
        "send messages with POST; GET and DELETE have no body, and connections are not upgraded";
    let error = message::error(None, message::INVALID_REQUEST, text);
    let mut response = json(StatusCode::METHOD_NOT_ALLOWED, error);
    let allowed = HeaderValue::from_static("POST, GET, DELETE");
    response.headers_mut().insert(ALLOW, allowed);
    response
}

impl Shared {
    async fn handle<S>(&self, request: Request<Body>, inner: S) -> Response<Body>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let (mut parts, request_body) = request.into_parts();
        // What is not read here could be read differently by the server.
        if parts.headers.contains_key(CONTENT_ENCODING) {
            let error = message::error(
                None,
                message::INVALID_REQUEST,
                "compressed messages are not supported",
            );
            return json(StatusCode::UNSUPPORTED_MEDIA_TYPE, error);
        }
        let is_json = !parts.headers.contains_key(CONTENT_TYPE) || is_json(&parts.headers);
        if !is_json || check_charset(&parts.headers).is_err() {
            let text = "messages are application/json in UTF-8";
            let error = message::error(None, message::INVALID_REQUEST, text);
            return json(StatusCode::UNSUPPORTED_MEDIA_TYPE, error);
        }
        let content = match body::read(request_body, self.max_bytes).await {
            Ok(content) => content,
            Err(ReadError::TooLarge) => {
                let error =
                    message::error(None, message::INVALID_REQUEST, "the message is too large");
                return json(StatusCode::PAYLOAD_TOO_LARGE, error);
            }
            Err(ReadError::Incomplete) => {
                let error = message::error(None, message::PARSE_ERROR, "the message is incomplete");
                return json(StatusCode::BAD_REQUEST, error);
            }
        };
        let call = match Message::read(&content) {
            Ok(Message::Call(call)) => *call,
            Ok(Message::Other) => {
                request_headers::remove_credentials(&mut parts.headers);
                return finish(send(inner, Request::from_parts(parts, full(content)))).await;
            }
            Err(InvalidMessage { code, message }) => {
                return json(
                    StatusCode::BAD_REQUEST,
                    message::error(None, code, &message),
                );
            }
        };
        if self.free.contains(&call.name) {
            request_headers::remove_credentials(&mut parts.headers);
            parts.headers.remove(CONTENT_LENGTH);
            let request = Request::from_parts(parts, full(call.content));
            return finish(send(inner, request)).await;
        }
        let Some(tool) = self.tools.get(&call.name) else {
            let error = message::error(Some(&call.id), message::INVALID_PARAMS, "unknown tool");
            return json(StatusCode::OK, error);
        };
        if let Some(payment) = &call.payment {
            challenge::insert(&mut parts.headers, payment);
        }
        parts.headers.remove(CONTENT_LENGTH);
        let (id, arguments) = (call.id.clone(), call.arguments);
        let request = Request::from_parts(parts, full(call.content));
        let validated = Validated {
            schemas: tool.schemas.clone(),
            arguments,
            inner,
        };
        let gated = GateLayer::new(tool.gate.clone()).layer(validated);
        translate(finish(send(gated, request)).await, &id).await
    }
}

/// Validates the arguments of an admitted call.
#[derive(Clone)]
struct Validated<S> {
    schemas: ToolSchemas,
    arguments: Bytes,
    inner: S,
}

impl<S> Service<Request<Body>> for Validated<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Self {
            schemas,
            arguments,
            inner,
        } = self.clone();
        Box::pin(async move {
            match schemas.check_input(&arguments).await {
                Ok(()) => {
                    let mut response = send(inner, request).await?;
                    let check = FailureCheck(events::is_failure);
                    response.extensions_mut().insert(check);
                    Ok(response)
                }
                Err(rejection) => Ok(rejected(rejection)),
            }
        })
    }
}

/// The response of the handler to arguments that it must not see.
fn rejected(rejection: Rejection) -> Response<Body> {
    let body = serde_json::Value::Object(rejection.body());
    let mut response = json(rejection.status(), body);
    response.extensions_mut().insert(rejection);
    response
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// Outside of `async` code, where the compiler does not find the implementation of `Service`.
fn send<S>(service: S, request: Request<Body>) -> Answer
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
{
    Box::pin(service.oneshot(request))
}

async fn finish(answer: Answer) -> Response<Body> {
    match answer.await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// The response to a call in the form of MCP.
async fn translate(response: Response<Body>, id: &message::Id) -> Response<Body> {
    let receipt = receipt(response.headers());
    if response.extensions().get::<Rejection>().is_some() {
        let (parts, response_body) = response.into_parts();
        let challenge = parts
            .headers
            .get(CHALLENGE)
            .and_then(message::decode_header);
        let content = match challenge {
            Some(challenge) => challenge,
            None => match body::read(response_body, usize::MAX).await {
                Ok(content) => serde_json::from_slice(&content).unwrap_or_default(),
                Err(_) => serde_json::Value::default(),
            },
        };
        let mut result = message::failed_result(&content);
        message::add_receipt(&mut result, receipt.as_ref());
        let mut answer = json(StatusCode::OK, message::response(id, result));
        for (name, value) in &parts.headers {
            // Among them: when to try again, and the receipt of a payment whose answer is withheld.
            if *name != CONTENT_TYPE && *name != CONTENT_LENGTH {
                answer.headers_mut().insert(name.clone(), value.clone());
            }
        }
        return answer;
    }
    match receipt {
        Some(receipt) => events::with_receipt(response, receipt).await,
        None => response,
    }
}

/// The receipt of a payment.
fn receipt(headers: &HeaderMap) -> Option<serde_json::Value> {
    let value = RECEIPTS.iter().find_map(|name| headers.get(name))?;
    message::decode_header(value)
}

fn json(status: StatusCode, body: serde_json::Value) -> Response<Body> {
    let mut response = Response::new(full(body.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
