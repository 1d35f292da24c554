//! Many calls to one contract in few requests, all at the same block.

use alloy_primitives::{Address, Bytes, address};
use alloy_sol_types::{SolCall, sol};

use super::{BlockView, CallResult, batch::send_batch};
use crate::Error;

/// Multicall3, at the same address on every chain that has it.
const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");

/// Calls per request. Reading a tool with the longest URI takes about 200,000 gas; nodes limit a call to tens of millions.
const CALLS_PER_REQUEST: usize = 64;

sol! {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }
    struct Result3 {
        bool success;
        bytes returnData;
    }
    function aggregate3(Call3[] calls) external payable returns (Result3[] results);
}

/// Calls a contract with each of the call data; results are in the same order. Uses Multicall3 where the chain has it,
/// otherwise a JSON-RPC batch. Calls without a conclusive result are repeated individually.
///
/// # Errors
///
/// When an RPC request fails.
pub async fn call_all(
    view: BlockView<'_>,
    to: Address,
    calls: &[Bytes],
) -> Result<Vec<CallResult>, Error> {
    if let [data] = calls {
        return Ok(vec![view.call(to, data.clone(), None).await?]);
    }
    let has_multicall = !view.code(MULTICALL3).await?.is_empty();
    let mut results = Vec::with_capacity(calls.len());
    for chunk in calls.chunks(CALLS_PER_REQUEST) {
        let batched = if has_multicall {
            multicall(view, to, chunk).await?
        } else {
            json_rpc_batch(view, to, chunk).await
        };
        for (index, data) in chunk.iter().enumerate() {
            let result = batched.get(index).cloned().flatten();
            results.push(match result {
                Some(result) => result,
                None => view.call(to, data.clone(), None).await?,
            });
        }
    }
    Ok(results)
}

/// A result is `None` if the failure can be caused by the multicall itself, for example out of gas.
async fn multicall(
    view: BlockView<'_>,
    to: Address,
    calls: &[Bytes],
) -> Result<Vec<Option<CallResult>>, Error> {
    let calls = calls.iter().map(|data| Call3 {
        target: to,
        allowFailure: true,
        callData: data.clone(),
    });
    let call = aggregate3Call {
        calls: calls.collect(),
    };
    let response = view
        .call(MULTICALL3, call.abi_encode().into(), None)
        .await?;
    let results = response
        .returned()
        .and_then(|bytes| aggregate3Call::abi_decode_returns_validate(&bytes).ok());
    let results = results.unwrap_or_default().into_iter().map(|result| {
        if result.success {
            return Some(CallResult::Returned(result.returnData));
        }
        (!result.returnData.is_empty()).then(|| CallResult::Failed {
            data: result.returnData,
            message: "execution reverted".to_owned(),
        })
    });
    Ok(results.collect())
}

/// A result is `None` if the node did not respond to the call. Not every node supports batches.
async fn json_rpc_batch(
    view: BlockView<'_>,
    to: Address,
    calls: &[Bytes],
) -> Vec<Option<CallResult>> {
    let calls: Vec<_> = calls.iter().map(|data| (to, data.clone())).collect();
    match send_batch(view, &calls).await {
        Ok(results) => results.into_iter().map(Result::ok).collect(),
        Err(error) => {
            tracing::info!(%error, "the node rejected a JSON-RPC batch; sending single requests");
            Vec::new()
        }
    }
}
