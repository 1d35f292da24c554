//! Contract calls whose answer is fetched from a gateway and checked by the contract (ERC-3668, CCIP-Read).
//!
//! The contract chooses the gateways, so they are untrusted: HTTPS only, with SSRF protection, and with limits on number, size and
//! time. The contract checks the answer, so a gateway cannot forge it.

use std::{
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use alloy_primitives::{Address, Bytes, hex};
use alloy_sol_types::{SolCall, SolError, SolValue, sol};
use atr_fetch::{Limits, SafeHttpClient};
use atr_ids::HttpsUrl;

use super::UniversalResolver::HttpError;
use crate::{BlockView, CallResult, Error};

sol! {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    /// Several lookups in one (ENSIP-21).
    interface BatchGateway {
        struct Request {
            address sender;
            string[] urls;
            bytes data;
        }
        function query(Request[] requests) external view returns (bool[] failures, bytes[] responses);
    }
}

/// In place of a gateway: the client asks the gateways of the requests in the call data (ENSIP-21).
const BATCH_GATEWAY: &str = "x-batch-gateway:true";

/// A contract can ask for several answers in a row. ERC-3668 recommends four.
const MAX_LOOKUPS: usize = 4;
/// Gateways that are tried for one answer.
const MAX_GATEWAYS: usize = 4;
/// Requests of one batch.
const MAX_BATCH: usize = 16;
/// Requests to gateways for all lookups of one [`super::Ens`]: a contract chooses the gateways, and must not make this client flood them.
pub(super) const MAX_REQUESTS: usize = 64;
/// A request of a batch can be a batch: a resolver that asks several others.
const MAX_BATCH_DEPTH: usize = 2;

/// Why a call has no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OffchainFailure {
    #[error("the resolver failed")]
    Reverted { data: Bytes },
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
    /// Requests that are left.
    requests: &'a AtomicUsize,
}

impl<'a> OffchainCaller<'a> {
    pub(super) fn new(
        view: &'a BlockView<'a>,
        http: &SafeHttpClient,
        requests: &'a AtomicUsize,
    ) -> Self {
        Self {
            view,
            requests,
            http: http.clone().with_limits(Limits::MANIFEST),
        }
    }

    /// Calls a contract and answers its lookups.
    pub(super) async fn call(
        &self,
        to: Address,
        data: Bytes,
        gas: u64,
    ) -> Result<Result<Bytes, OffchainFailure>, Error> {
        let mut data = data;
        for _ in 0..=MAX_LOOKUPS {
            let revert = match self.view.call(to, data, Some(gas)).await? {
                CallResult::Returned(bytes) => return Ok(Ok(bytes)),
                CallResult::Failed { data, .. } => data,
            };
            if !revert.starts_with(&OffchainLookup::SELECTOR) {
                return Ok(Err(OffchainFailure::Reverted { data: revert }));
            }
            let lookup = match OffchainLookup::abi_decode_validate(&revert) {
                // Another sender: an inner contract asked, and the outer one does not handle the callback.
                Ok(lookup) if lookup.sender == to => lookup,
                _ => return Ok(Err(OffchainFailure::Malformed)),
            };
            let answer = match self.answer(Lookup::from(&lookup), MAX_BATCH_DEPTH).await {
                Ok(answer) => answer,
                Err(reason) => return Ok(Err(OffchainFailure::Gateways { reason })),
            };
            let arguments = (answer, lookup.extraData).abi_encode_params();
            data = [lookup.callbackFunction.as_slice(), &arguments]
                .concat()
                .into();
        }
        Ok(Err(OffchainFailure::TooManyLookups))
    }

    /// The answer to a lookup. Batches are answered here: no server is asked to ask others.
    fn answer<'b>(
        &'b self,
        lookup: Lookup<'b>,
        depth: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, String>> + Send + 'b>> {
        Box::pin(async move {
            if !lookup.urls.iter().any(|url| url == BATCH_GATEWAY) {
                return self.ask_gateways(lookup).await;
            }
            let batch = BatchGateway::queryCall::abi_decode_validate(lookup.data);
            let requests = batch
                .map_err(|_| "the batch is malformed".to_owned())?
                .requests;
            if depth == 0 || requests.len() > MAX_BATCH {
                return Err("the batch has too many requests".to_owned());
            }
            let (mut failures, mut responses) = (Vec::new(), Vec::new());
            for request in &requests {
                let answer = self.answer(Lookup::from(request), depth - 1).await;
                failures.push(answer.is_err());
                responses.push(answer.unwrap_or_else(|message| {
                    let status = 0;
                    HttpError { status, message }.abi_encode().into()
                }));
            }
            Ok((failures, responses).abi_encode_params().into())
        })
    }

    /// The answer of the first gateway that has one.
    async fn ask_gateways(&self, lookup: Lookup<'_>) -> Result<Bytes, String> {
        let mut reason = "it names none".to_owned();
        for template in lookup.urls.iter().take(MAX_GATEWAYS) {
            match self.ask(template, lookup).await {
                Ok(answer) => return Ok(answer),
                Err(error) => reason = format!("{}: {error}", atr_ids::excerpt(template)),
            }
        }
        Err(reason)
    }

    /// A GET request if the URL has the data in it, otherwise a POST request.
    async fn ask(&self, template: &str, lookup: Lookup<'_>) -> Result<Bytes, String> {
        let take = |left: usize| left.checked_sub(1);
        if self.requests.fetch_update(Relaxed, Relaxed, take).is_err() {
            return Err(format!("more than {MAX_REQUESTS} requests"));
        }
        let sender = hex::encode_prefixed(lookup.sender);
        let data = hex::encode_prefixed(lookup.data);
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

/// What a gateway is asked.
#[derive(Clone, Copy)]
struct Lookup<'a> {
    sender: Address,
    urls: &'a [String],
    data: &'a Bytes,
}

impl<'a> From<&'a OffchainLookup> for Lookup<'a> {
    fn from(lookup: &'a OffchainLookup) -> Self {
        Self {
            sender: lookup.sender,
            urls: &lookup.urls,
            data: &lookup.callData,
        }
    }
}

impl<'a> From<&'a BatchGateway::Request> for Lookup<'a> {
    fn from(request: &'a BatchGateway::Request) -> Self {
        Self {
            sender: request.sender,
            urls: &request.urls,
            data: &request.data,
        }
    }
}

#[derive(serde::Deserialize)]
struct Answer {
    data: Bytes,
}
