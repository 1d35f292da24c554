//! Bodies in transfer: idle timeouts, the size limit of requests, and trailers.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};

use super::headers;
use crate::{Body, BoxError};

/// Why a request body ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UploadFailure {
    #[error("the request body is larger than the limit")]
    TooLarge,
    #[error("the client stopped sending the request body")]
    Stalled,
    #[error("the client closed the connection")]
    Disconnected,
}

/// State of a request body, shared with the task that waits for the response.
#[derive(Debug)]
pub(super) struct Upload {
    failure: OnceLock<UploadFailure>,
    progress: Mutex<Instant>,
}

impl Upload {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            failure: OnceLock::new(),
            progress: Mutex::new(Instant::now()),
        })
    }

    pub(super) fn failure(&self) -> Option<UploadFailure> {
        self.failure.get().copied()
    }

    /// Restarts the time of [`Self::quiet_for`].
    pub(super) fn advance(&self) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Waits until the upload made no progress for this time. An upload that is complete makes none.
    pub(super) async fn quiet_for(&self, time: Duration) {
        loop {
            let progress = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            let deadline = progress + time;
            if deadline <= Instant::now() {
                return;
            }
            sleep_until(deadline).await;
        }
    }
}

/// Wraps a request body: limits its size and its pauses, and filters its trailers.
pub(super) fn request_body(inner: Body, limit: u64, idle: Duration, upload: Arc<Upload>) -> Body {
    let body = RequestBody {
        inner,
        remaining: limit,
        timer: IdleTimer::new(idle),
        upload,
    };
    body.boxed_unsync()
}

struct RequestBody {
    inner: Body,
    remaining: u64,
    timer: IdleTimer,
    upload: Arc<Upload>,
}

impl RequestBody {
    fn fail(&self, failure: UploadFailure) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let failure = *self.upload.failure.get_or_init(|| failure);
        Poll::Ready(Some(Err(failure.into())))
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) else {
            ready!(this.timer.poll_elapsed(context));
            return this.fail(UploadFailure::Stalled);
        };
        this.timer.stop();
        this.upload.advance();
        match frame {
            Some(Ok(mut frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                match this.remaining.checked_sub(length) {
                    Some(remaining) => this.remaining = remaining,
                    None => return this.fail(UploadFailure::TooLarge),
                }
                if let Some(trailers) = frame.trailers_mut() {
                    headers::filter_trailers(trailers);
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Some(Err(_)) => this.fail(UploadFailure::Disconnected),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Limits the pauses of a body and filters its trailers.
pub(crate) fn with_idle_timeout(inner: Incoming, idle: Duration) -> Body {
    let body = IdleBody {
        inner,
        timer: IdleTimer::new(idle),
    };
    body.boxed_unsync()
}

/// The sender paused for too long.
#[derive(Debug, thiserror::Error)]
#[error("the sender of the body paused for too long")]
struct Stalled;

struct IdleBody {
    inner: Incoming,
    timer: IdleTimer,
}

impl HttpBody for IdleBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) else {
            ready!(this.timer.poll_elapsed(context));
            return Poll::Ready(Some(Err(Stalled.into())));
        };
        this.timer.stop();
        Poll::Ready(frame.map(|frame| {
            let mut frame = frame?;
            if let Some(trailers) = frame.trailers_mut() {
                headers::filter_trailers(trailers);
            }
            Ok(frame)
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Runs while a body waits for its sender.
struct IdleTimer {
    limit: Duration,
    /// Kept after the first pause: a timer is reset, not created again.
    sleep: Option<Pin<Box<Sleep>>>,
    is_running: bool,
}

impl IdleTimer {
    const fn new(limit: Duration) -> Self {
        Self {
            limit,
            sleep: None,
            is_running: false,
        }
    }

    const fn stop(&mut self) {
        self.is_running = false;
    }

    /// Starts the timer if it is not running.
    fn poll_elapsed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = || Instant::now() + self.limit;
        let sleep = match &mut self.sleep {
            Some(sleep) if self.is_running => sleep,
            Some(sleep) => {
                sleep.as_mut().reset(deadline());
                sleep
            }
            None => self.sleep.insert(Box::pin(sleep_until(deadline()))),
        };
        self.is_running = true;
        sleep.as_mut().poll(context)
    }
}
