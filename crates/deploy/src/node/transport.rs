//! HTTP transport with retries.

use std::{task, time::Duration};

use alloy::{
    rpc::json_rpc::{RequestPacket, ResponsePacket},
    transports::{TransportError, TransportErrorKind, TransportFut},
};
use atr_fetch::HttpClient;
use tower::Service;
use url::Url;

/// Number of retries, and the delay before the first; it doubles.
const RETRIES: u32 = 5;
const FIRST_DELAY: Duration = Duration::from_millis(150);

/// Maximum characters of an invalid response in an error.
const MAX_EXCERPT: usize = 200;

/// Retries after transient errors. Every request is idempotent: reads, and signed transactions, which nodes identify by hash.
#[derive(Clone, Debug)]
pub(crate) struct NodeTransport {
    client: HttpClient,
    url: Url,
}

impl NodeTransport {
    pub(crate) const fn new(client: HttpClient, url: Url) -> Self {
        Self { client, url }
    }

    async fn request(self, packet: RequestPacket) -> Result<ResponsePacket, TransportError> {
        let body = serde_json::to_vec(&packet).map_err(TransportError::ser_err)?;
        let mut delay = FIRST_DELAY;
        for _ in 0..RETRIES {
            match self.request_once(body.clone()).await {
                Err(error) if is_transient(&error) => {
                    tracing::info!(%error, "RPC request failed; retrying");
                    tokio::time::sleep(delay).await;
                    delay *= 2;
                }
                Ok(response) if response.as_error().is_some_and(|e| e.is_retry_err()) => {
                    tracing::info!("rate limited by the node; retrying");
                    tokio::time::sleep(delay).await;
                    delay *= 2;
                }
                result => return result,
            }
        }
        self.request_once(body).await
    }

    async fn request_once(&self, body: Vec<u8>) -> Result<ResponsePacket, TransportError> {
        let response = self
            .client
            .post(&self.url, "application/json", body)
            .await
            .map_err(TransportErrorKind::custom)?;
        let parsed = serde_json::from_slice(&response.body);
        match parsed {
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

/// Whether a retry can help. JSON-RPC errors are responses, not transport errors.
fn is_transient(error: &TransportError) -> bool {
    let Some(kind) = error.as_transport_err() else {
        return false;
    };
    match kind {
        TransportErrorKind::HttpError(http) => http.status == 429 || http.status >= 500,
        TransportErrorKind::Custom(source) => source
            .downcast_ref::<atr_fetch::Error>()
            .is_some_and(atr_fetch::Error::is_retryable),
        _ => false,
    }
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
    fn retries_rate_limits_and_server_errors_only() {
        for (status, transient) in [(429, true), (502, true), (503, true), (401, false)] {
            let error = TransportErrorKind::http_error(status, String::new());
            assert_eq!(is_transient(&error), transient, "{status}");
        }
        let timeout = atr_fetch::Error::TimedOut { seconds: 1 };
        assert!(is_transient(&TransportErrorKind::custom(timeout)));
        let too_large = atr_fetch::Error::TooLarge { limit: 1 };
        assert!(!is_transient(&TransportErrorKind::custom(too_large)));
    }
}
