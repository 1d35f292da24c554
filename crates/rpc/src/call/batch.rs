//! Calls to several contracts in one HTTP request.

use alloy::{
    providers::Provider,
    rpc::client::BatchRequest,
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::{Address, Bytes};

use super::{BlockView, CallResult, call_request};
use crate::{Error, rpc_error};

/// Calls contracts in one JSON-RPC batch; results are in the same order. Where the node rejects batches, each call is a request
/// of its own.
///
/// Unlike in a multicall, the calls share neither gas nor warm storage: the result of a call does not depend on the others.
///
/// # Errors
///
/// When the node does not respond. The failure of a single call is an element of the result.
pub async fn call_batch(
    view: BlockView<'_>,
    calls: &[(Address, Bytes)],
) -> Result<Vec<Result<CallResult, Error>>, Error> {
    if calls.len() > 1 {
        match send_batch(view, calls).await {
            Ok(results) => return Ok(results),
            Err(error) if rejects_batches(&error) => {
                tracing::info!(%error, "the node rejected a JSON-RPC batch; sending single requests");
            }
            Err(error) => return Err(rpc_error("eth_call")(error)),
        }
    }
    let mut results = Vec::with_capacity(calls.len());
    for (to, data) in calls {
        let result = view.call(*to, data.clone(), None).await;
        results.push(result);
    }
    Ok(results)
}

pub(super) async fn send_batch(
    view: BlockView<'_>,
    calls: &[(Address, Bytes)],
) -> Result<Vec<Result<CallResult, Error>>, TransportError> {
    let mut batch = BatchRequest::new(view.provider.client());
    let mut pending = Vec::with_capacity(calls.len());
    for (to, data) in calls {
        let request = call_request(*to, data.clone(), None);
        pending.push(batch.add_call::<_, Bytes>("eth_call", &(request, view.block))?);
    }
    batch.send().await?;
    let mut results = Vec::with_capacity(calls.len());
    for response in pending {
        results.push(CallResult::from_response(response.await));
    }
    Ok(results)
}

/// Whether single requests may succeed: the node responded, but not to the batch.
fn rejects_batches(error: &TransportError) -> bool {
    let is_client_error = |kind: &TransportErrorKind| {
        matches!(kind, TransportErrorKind::HttpError(http)
            if (400..500).contains(&http.status) && http.status != 429)
    };
    error.is_error_resp()
        || error.is_deser_error()
        || error.as_transport_err().is_some_and(is_client_error)
}
