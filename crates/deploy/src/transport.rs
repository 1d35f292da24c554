//! How requests reach a node: through the operator's door, and again when the node is only out of breath.

use std::{task, time::Duration};

use alloy::{
    rpc::json_rpc::{RequestPacket, ResponsePacket},
    transports::{TransportError, TransportErrorKind, TransportFut},
};
use atr_fetch::HttpClient;
use tower::Service;
use url::Url;

/// How often a request is made again, and how long to wait before the first time; the wait doubles.
const RETRIES: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_millis(150);

/// How much of an answer that is no JSON is worth showing.
const SHOWN: usize = 200;

/// Every request made through it can be made twice: reads, and transactions signed already, which a node knows by their
/// hash.
#[derive(Clone, Debug)]
pub(crate) struct NodeTransport {
    door: HttpClient,
    url: Url,
}

impl NodeTransport {
    pub(crate) const fn new(door: HttpClient, url: Url) -> Self {
        Self { door, url }
    }

    async fn ask(self, packet: RequestPacket) -> Result<ResponsePacket, TransportError> {
        let body = serde_json::to_vec(&packet).map_err(TransportError::ser_err)?;
        let mut wait = FIRST_WAIT;
        for _ in 0..RETRIES {
            match self.ask_once(body.clone()).await {
                Err(error) if is_transient(&error) => {
                    tracing::info!(%error, "the node did not answer; asking again");
                    tokio::time::sleep(wait).await;
                    wait *= 2;
                }
                Ok(answer) if answer.as_error().is_some_and(|e| e.is_retry_err()) => {
                    tracing::info!("the node asks for patience; asking again");
                    tokio::time::sleep(wait).await;
                    wait *= 2;
                }
                settled => return settled,
            }
        }
        self.ask_once(body).await
    }

    async fn ask_once(&self, body: Vec<u8>) -> Result<ResponsePacket, TransportError> {
        let answer = self
            .door
            .post(&self.url, "application/json", body)
            .await
            .map_err(TransportErrorKind::custom)?;
        let parsed = serde_json::from_slice(&answer.body);
        match parsed {
            // Some nodes put a proper answer under a status of failure.
            Ok(packet) => Ok(packet),
            Err(_) if !answer.is_success() => Err(TransportErrorKind::http_error(
                answer.status,
                shown(&answer.body),
            )),
            Err(error) => Err(TransportError::deser_err(error, shown(&answer.body))),
        }
    }
}

/// Whether a failure passes by itself. Answers are not failures, whatever they say.
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

fn shown(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(SHOWN).collect()
}

impl Service<RequestPacket> for NodeTransport {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), Self::Error>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        Box::pin(self.clone().ask(packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_out_of_breath_is_asked_again_and_a_refusal_is_not() {
        for (status, transient) in [(429, true), (502, true), (503, true), (401, false)] {
            let error = TransportErrorKind::http_error(status, String::new());
            assert_eq!(is_transient(&error), transient, "{status}");
        }
        let late = atr_fetch::Error::TimedOut { seconds: 1 };
        assert!(is_transient(&TransportErrorKind::custom(late)));
        let large = atr_fetch::Error::TooLarge { limit: 1 };
        assert!(!is_transient(&TransportErrorKind::custom(large)));
    }
}
