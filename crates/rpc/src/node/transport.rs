//! HTTP transport with retries and fallback.
//!
//! Not alloy's layers: its retry layer has no limit on the total time and replaces the last error by a string, so callers could
//! not distinguish a rejected transaction from an unreachable node; its fallback layer sends every request to several nodes at once.

use std::{io, task, time::Duration};

use alloy::{
    rpc::json_rpc::{ErrorPayload, RequestPacket, ResponsePacket},
    transports::{TransportError, TransportErrorKind, TransportFut},
};
use atr_fetch::HttpClient;
use tokio::time::Instant;
use tower::Service;
use url::Url;

use crate::logs::Refusal;

/// Delay before the first retry; it doubles.
const FIRST_DELAY: Duration = Duration::from_millis(150);

/// Maximum characters of an invalid response in an error.
const MAX_EXCERPT: usize = 200;

/// Tries the URLs in order, and again after transient errors, until the timeout. Every request is idempotent: reads, and signed
/// transactions, which nodes identify by hash.
#[derive(Clone, Debug)]
pub(crate) struct NodeTransport {
    client: HttpClient,
    urls: Vec<Url>,
    timeout: Duration,
}

impl NodeTransport {
    pub(crate) const fn new(client: HttpClient, urls: Vec<Url>, timeout: Duration) -> Self {
        Self {
            client,
            urls,
            timeout,
        }
    }

    /// Timeout of one HTTP request, so that a silent node leaves time for another attempt.
    pub(crate) fn attempt_timeout(timeout: Duration, urls: usize) -> Duration {
        timeout / u32::try_from(urls + 1).unwrap_or(u32::MAX)
    }

    async fn request(self, packet: RequestPacket) -> Result<ResponsePacket, TransportError> {
        let body = serde_json::to_vec(&packet).map_err(TransportError::ser_err)?;
        let reads_logs = packet.method_names().all(|method| method == "eth_getLogs");
        let started = Instant::now();
        let mut delay = FIRST_DELAY;
        loop {
            let mut last = Err(TransportErrorKind::custom_str("no RPC URL"));
            let mut can_retry = false;
            for url in &self.urls {
                last = self.request_once(url, body.clone()).await;
                let outcome = Retry::after(&last, reads_logs);
                can_retry |= outcome == Retry::Later;
                if outcome == Retry::Never {
                    return last;
                }
                if started.elapsed() >= self.timeout {
                    return last;
                }
            }
            if !can_retry || started.elapsed() + delay >= self.timeout {
                return last;
            }
            match &last {
                Err(error) => tracing::info!(%error, "RPC request failed; retrying"),
                Ok(_) => tracing::info!("rate limited by the node; retrying"),
            }
            tokio::time::sleep(delay).await;
            delay *= 2;
        }
    }

    async fn request_once(
        &self,
        url: &Url,
        body: Vec<u8>,
    ) -> Result<ResponsePacket, TransportError> {
        let response = self.client.post(url, "application/json", body).await;
        let response = response.map_err(TransportErrorKind::custom)?;
        match serde_json::from_slice(&response.body) {
            // Some nodes send a valid JSON-RPC error with an HTTP error status.
            Ok(packet) => Ok(packet),
            Err(_) if !response.is_success() => Err(TransportErrorKind::http_error(
                response.status,
                excerpt(&response.body),
            )),
            Err(error) => Err(TransportError::deser_err(error, excerpt(&response.body))),
        }
    }
}

/// Whether another attempt can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retry {
    /// The response is final.
    Never,
    /// Only another node can help.
    OtherNode,
    /// The same node can help later.
    Later,
}

impl Retry {
    fn after(result: &Result<ResponsePacket, TransportError>, reads_logs: bool) -> Self {
        let error = match result {
            Ok(response) => {
                return match response.as_error() {
                    // Some providers use the code of rate limits for limits of the response.
                    Some(error) if reads_logs && is_refused_request(error) => Self::Never,
                    Some(error) if error.is_retry_err() => Self::Later,
                    _ => Self::Never,
                };
            }
            Err(error) => error,
        };
        let is_transient = match error.as_transport_err() {
            Some(TransportErrorKind::HttpError(http)) => http.status == 429 || http.status >= 500,
            Some(TransportErrorKind::Custom(source)) => {
                let fetch = source.downcast_ref::<atr_fetch::Error>();
                // No process listens on the port: this does not change within seconds.
                fetch.is_some_and(|error| error.is_retryable() && !is_refused(error))
            }
            _ => false,
        };
        if is_transient {
            Self::Later
        } else {
            Self::OtherNode
        }
    }
}

/// Whether only another request can help.
fn is_refused_request(error: &ErrorPayload) -> bool {
    !matches!(
        Refusal::of_payload(error),
        None | Some(Refusal::Unrecognized)
    )
}

fn is_refused(error: &(dyn std::error::Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        || error.source().is_some_and(is_refused)
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(body)
        .chars()
        .take(MAX_EXCERPT)
        .collect()
}

impl Service<RequestPacket> for NodeTransport {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        Box::pin(self.clone().request(packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_node_leaves_time_for_each_other_url_and_a_retry() {
        let attempt = |urls| NodeTransport::attempt_timeout(Duration::from_secs(30), urls);
        assert_eq!(
            (attempt(1), attempt(2)),
            (Duration::from_secs(15), Duration::from_secs(10))
        );
    }

    #[test]
    fn an_error_contains_the_beginning_of_the_response() {
        let body = format!("unavailable{}", "x".repeat(300));
        assert_eq!(excerpt(body.as_bytes()), body[..200]);
    }

    #[test]
    fn retries_rate_limits_server_errors_and_timeouts_only() {
        for (status, retry) in [
            (429, Retry::Later),
            (502, Retry::Later),
            (401, Retry::OtherNode),
        ] {
            let error = TransportErrorKind::http_error(status, String::new());
            assert_eq!(Retry::after(&Err(error), false), retry, "{status}");
        }
        let refused = atr_fetch::Error::Unreachable {
            host: "localhost:1".to_owned(),
            source: Box::new(io::Error::from(io::ErrorKind::ConnectionRefused)),
        };
        for (error, retry) in [
            (atr_fetch::Error::TimedOut { seconds: 1 }, Retry::Later),
            (atr_fetch::Error::TooLarge { limit: 1 }, Retry::OtherNode),
            (refused, Retry::OtherNode),
        ] {
            let error = TransportErrorKind::custom(error);
            assert_eq!(Retry::after(&Err(error), false), retry);
        }
    }

    #[test]
    fn a_limit_of_logs_is_not_a_rate_limit() {
        let response = |message: &str| {
            let error = serde_json::json!({ "code": -32005, "message": message });
            let response = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "error": error });
            Ok(serde_json::from_str(&response.to_string()).unwrap())
        };
        let too_many = response("query returned more than 10000 results");
        assert_eq!(Retry::after(&too_many, true), Retry::Never);
        assert_eq!(Retry::after(&too_many, false), Retry::Later);
        let rate_limit = response("exceeded project rate limit");
        assert_eq!(Retry::after(&rate_limit, true), Retry::Later);
    }
}
