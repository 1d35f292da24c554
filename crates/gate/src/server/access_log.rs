//! One log line for each request, when its response is complete.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use atr_http_server::{ActiveRequest, ClientAddress};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::time::Instant;

use super::{RequestId, metrics::Metrics};
use crate::{Body, BoxError};

/// A request in progress. Logged when it is dropped, with what happened until then.
///
/// Queries and headers are not logged: they can contain secrets.
pub(super) struct AccessLog {
    id: RequestId,
    client: ClientAddress,
    method: Method,
    path: String,
    start: Instant,
    metrics: Arc<Metrics>,
    status: Option<StatusCode>,
    bytes: u64,
    is_complete: bool,
    /// Of the connection. Held for its effect when it is dropped.
    _active: ActiveRequest,
}

impl AccessLog {
    pub(super) fn new(
        request: &Request<Body>,
        id: RequestId,
        client: ClientAddress,
        metrics: Arc<Metrics>,
        active: ActiveRequest,
    ) -> Self {
        metrics.request_started();
        Self {
            id,
            client,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            start: Instant::now(),
            metrics,
            status: None,
            bytes: 0,
            is_complete: false,
            _active: active,
        }
    }

    /// Counts the bytes of the response and logs its end.
    pub(super) fn attach(mut self, response: Response<Body>) -> Response<Body> {
        self.status = Some(response.status());
        self.is_complete = response.body().is_end_stream();
        response.map(|inner| LoggedBody { inner, log: self }.boxed_unsync())
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        self.metrics
            .request_ended(self.status, self.bytes, self.is_complete);
        tracing::info!(
            request_id = self.id.as_str(),
            client = %self.client.0,
            method = self.method.as_str(),
            path = self.path,
            status = self.status.map(|status| status.as_u16()),
            bytes = self.bytes,
            complete = self.is_complete,
            milliseconds = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX),
            "request"
        );
    }
}

struct LoggedBody {
    inner: Body,
    log: AccessLog,
}

impl HttpBody for LoggedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                self.log.bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
                self.log.is_complete = self.inner.is_end_stream();
            }
            Some(Err(error)) => {
                tracing::warn!(
                    request_id = self.log.id.as_str(),
                    error = error.as_ref(),
                    "response aborted"
                );
            }
            None => self.log.is_complete = true,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
