//! Usage reports: sends an indexer a proof of each call.

use std::{fmt, time::Duration};

use alloy_primitives::{Address, B256};
use atr_auth::AuthorizationFields;
use atr_fetch::{HttpClient, Limits};
use atr_ids::ToolRef;
use serde::Serialize;
use url::{Host, Url};

/// Time for a report. The caller waits for it (N-01).
const TIMEOUT: Duration = Duration::from_secs(5);

const PATH: &str = "api/v2/tools/usage";

/// Sends usage reports. Without a reporter, a gate reports nothing.
pub struct UsageReporter {
    url: Url,
    client: HttpClient,
}

/// Why reports cannot be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// The key would be readable on the way.
    #[error("usage reports need https, except to loopback addresses")]
    Insecure,
    /// The key or the HTTP library is not usable.
    #[error(transparent)]
    Client(#[from] atr_fetch::Error),
}

/// Proof that an account called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proof<'a> {
    /// What the caller signed, as it was written. Never signed again.
    Authorization {
        fields: &'a AuthorizationFields,
        chain_id: u64,
    },
    /// The transfer that paid for the call.
    Settlement {
        payer: Address,
        transaction: B256,
        chain_id: u64,
    },
}

#[derive(Serialize)]
struct Report<'a> {
    verification_type: &'static str,
    tool_chain_id: u64,
    tool_registry_address: String,
    tool_onchain_id: String,
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    eip3009: Option<Eip3009<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x402: Option<X402>,
}

#[derive(Serialize)]
struct Eip3009<'a> {
    caller_address: &'a str,
    signature: &'a str,
    from: &'a str,
    to: &'a str,
    value: &'a str,
    valid_after: &'a str,
    valid_before: &'a str,
    nonce: &'a str,
    chain_id: u64,
}

#[derive(Serialize)]
struct X402 {
    caller_address: String,
    tx_hash: B256,
    chain_id: u64,
}

impl UsageReporter {
    /// Reports to `{base}/api/v2/tools/usage` with an API key.
    ///
    /// # Errors
    ///
    /// If the URL is neither https nor loopback, or the key is not a header value.
    pub fn new(base: &Url, api_key: &str) -> Result<Self, UsageError> {
        let is_loopback = match base.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if base.scheme() != "https" && !is_loopback {
            return Err(UsageError::Insecure);
        }
        let mut url = base.clone();
        url.set_path(&format!("{}/{PATH}", base.path().trim_end_matches('/')));
        let limits = Limits {
            timeout: TIMEOUT,
            max_body_bytes: 64 * 1024,
        };
        let headers = [("x-api-key".to_owned(), api_key.to_owned())];
        let client = HttpClient::try_new(limits)?.with_headers(&headers)?;
        Ok(Self { url, client })
    }

    /// Sends a report and waits for the answer, at most five seconds. Returns the outcome for metrics; never fails.
    pub(crate) async fn report(
        &self,
        tool: ToolRef,
        latency: Duration,
        proof: Proof<'_>,
    ) -> &'static str {
        let mut report = Report {
            verification_type: "",
            tool_chain_id: tool.chain(),
            tool_registry_address: tool.registry().to_string(),
            tool_onchain_id: tool.id().to_string(),
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            eip3009: None,
            x402: None,
        };
        match proof {
            Proof::Authorization { fields, chain_id } => {
                report.verification_type = "eip3009_authorization";
                report.eip3009 = Some(Eip3009 {
                    caller_address: &fields.from,
                    signature: &fields.signature,
                    from: &fields.from,
                    to: &fields.to,
                    value: &fields.value,
                    valid_after: &fields.valid_after,
                    valid_before: &fields.valid_before,
                    nonce: &fields.nonce,
                    chain_id,
                });
            }
            Proof::Settlement {
                payer,
                transaction,
                chain_id,
            } => {
                report.verification_type = "x402_settlement";
                report.x402 = Some(X402 {
                    caller_address: payer.to_string(),
                    tx_hash: transaction,
                    chain_id,
                });
            }
        }
        let Ok(body) = serde_json::to_vec(&report) else {
            return "failed";
        };
        let sent = self.client.post(&self.url, "application/json", body);
        match tokio::time::timeout(TIMEOUT, sent).await {
            Ok(Ok(response)) if response.is_success() => "sent",
            Ok(Ok(response)) => {
                tracing::warn!(%tool, status = response.status, "a usage report was rejected");
                "rejected"
            }
            Ok(Err(error)) => {
                tracing::warn!(%tool, %error, "a usage report failed");
                "failed"
            }
            Err(_) => {
                tracing::warn!(%tool, "a usage report timed out");
                "timed_out"
            }
        }
    }
}

impl fmt::Debug for UsageReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str();
        f.debug_struct("UsageReporter")
            .field("host", &host)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_sent_over_plain_http() {
        let reporter = |url: &str| UsageReporter::new(&url.parse().unwrap(), "key");
        for url in [
            "http://api.example",
            "http://10.0.0.1",
            "ftp://localhost.example",
        ] {
            assert!(matches!(reporter(url), Err(UsageError::Insecure)), "{url}");
        }
        let with_path = reporter("https://api.example/base/").unwrap();
        assert_eq!(
            with_path.url.as_str(),
            "https://api.example/base/api/v2/tools/usage"
        );
        for url in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]"] {
            assert!(reporter(url).is_ok(), "{url}");
        }
        assert!(!format!("{with_path:?}").contains("key"));
    }
}
