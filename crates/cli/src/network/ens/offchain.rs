//! Contract calls whose answer is fetched from a gateway and checked by the contract (ERC-3668, CCIP-Read).
//!
//! The contract chooses the gateways, so they are untrusted: HTTPS only, with SSRF protection, and with limits on number, size and
//! time. The contract checks the answer, so a gateway cannot forge it.

use alloy_primitives::{Address, Bytes, hex};
use alloy_sol_types::{SolError, SolValue, sol};
use atr_fetch::{Limits, SafeHttpClient};
use atr_ids::HttpsUrl;
use atr_rpc::{BlockView, CallResult};

sol! {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
}

/// A contract can ask for several answers in a row. ERC-3668 recommends four.
const MAX_LOOKUPS: usize = 4;
/// Gateways that are tried for one answer.
const MAX_GATEWAYS: usize = 4;

/// Why a call has no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OffchainFailure {
    #[error("the resolver failed")]
    Reverted,
    #[error("the resolver reverted with a malformed or foreign OffchainLookup (CCIP-Read)")]
    Malformed,
    #[error("the resolver asks for more than {MAX_LOOKUPS} answers (CCIP-Read)")]
    TooManyLookups,
    #[error("no gateway of the resolver answered (CCIP-Read): {reason}")]
    Gateways { reason: String },
}

pub(super) struct OffchainCaller<'a> {
    view: &'a BlockView<'a>,
    http: SafeHttpClient,
}

impl<'a> OffchainCaller<'a> {
    pub(super) fn new(view: &'a BlockView<'a>, http: &SafeHttpClient) -> Self {
        Self {
            view,
            http: http.clone().with_limits(Limits::MANIFEST),
        }
    }

    /// Calls a contract and answers its lookups.
    pub(super) async fn call(
        &self,
        to: Address,
        data: Bytes,
        gas: u64,
    ) -> eyre::Result<Result<Bytes, OffchainFailure>> {
        let mut data = data;
        for _ in 0..=MAX_LOOKUPS {
            let revert = match self.view.call(to, data, Some(gas)).await? {
                CallResult::Returned(bytes) => return Ok(Ok(bytes)),
                CallResult::Failed { data, .. } => data,
            };
            if !revert.starts_with(&OffchainLookup::SELECTOR) {
                return Ok(Err(OffchainFailure::Reverted));
            }
            let lookup = match OffchainLookup::abi_decode_validate(&revert) {
                // Another sender: an inner contract asked, and the outer one does not handle the callback.
                Ok(lookup) if lookup.sender == to => lookup,
                _ => return Ok(Err(OffchainFailure::Malformed)),
            };
            let answer = match self.ask_gateways(&lookup).await {
                Ok(answer) => answer,
                Err(failure) => return Ok(Err(failure)),
            };
            let arguments = (answer, lookup.extraData).abi_encode_params();
            data = [lookup.callbackFunction.as_slice(), &arguments]
                .concat()
                .into();
        }
        Ok(Err(OffchainFailure::TooManyLookups))
    }

    /// The answer of the first gateway that has one.
    async fn ask_gateways(&self, lookup: &OffchainLookup) -> Result<Bytes, OffchainFailure> {
        let mut reason = "it names none".to_owned();
        for template in lookup.urls.iter().take(MAX_GATEWAYS) {
            match self.ask(template, lookup).await {
                Ok(answer) => return Ok(answer),
                Err(error) => reason = format!("{}: {error}", atr_ids::excerpt(template)),
            }
        }
        Err(OffchainFailure::Gateways { reason })
    }

    /// A GET request if the URL has the data in it, otherwise a POST request.
    async fn ask(&self, template: &str, lookup: &OffchainLookup) -> Result<Bytes, String> {
        let sender = hex::encode_prefixed(lookup.sender);
        let data = hex::encode_prefixed(&lookup.callData);
        let is_get = template.contains("{data}");
        let url = template
            .replace("{sender}", &sender)
            .replace("{data}", &data);
        let url: HttpsUrl = url
            .parse()
            .map_err(|error: atr_ids::Error| error.to_string())?;
        let body = if is_get {
            let document = self.http.fetch_document(&url).await;
            document.map_err(|error| error.to_string())?
        } else {
            let request = serde_json::json!({ "data": data, "sender": sender }).to_string();
            let headers = [("content-type", "application/json")];
            let response = self.http.post(&url, &headers, request.into_bytes()).await;
            let response = response.map_err(|error| error.to_string())?;
            if !response.is_success() {
                return Err(format!("status {}", response.status));
            }
            response.body
        };
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|_| "the answer is not JSON with `data`")?;
        Ok(answer.data)
    }
}

#[derive(serde::Deserialize)]
struct Answer {
    data: Bytes,
}
