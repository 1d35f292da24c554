//! Whether an authorization was used, as the token says.

use alloy::{eips::BlockId, providers::Provider};
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, sol};
use atr_rpc::{BlockView, CallResult, Node, rpc_error};
use serde::Deserialize;

sol! {
    /// EIP-3009.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
}

/// The state of an authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationState {
    /// Settled or cancelled.
    Used,
    /// Neither, and it can still be settled.
    Unused,
    /// Neither, and the chain is past the end of its validity.
    Expired,
    /// The token did not answer.
    Unknown,
}

#[derive(Debug, Deserialize)]
struct Header {
    hash: B256,
    timestamp: U256,
}

/// Reads the state of an authorization from the token at the latest block. `valid_before` is in seconds since 1970.
///
/// # Errors
///
/// When an RPC request fails.
pub async fn authorization_state(
    node: &Node,
    token: Address,
    payer: Address,
    nonce: B256,
    valid_before: u64,
) -> Result<AuthorizationState, atr_rpc::Error> {
    const METHOD: &str = "eth_getBlockByNumber";
    let client = node.provider().client();
    let latest: Header = client
        .request(METHOD, ("latest", false))
        .await
        .map_err(rpc_error(METHOD))?;
    let call = authorizationStateCall {
        authorizer: payer,
        nonce,
    };
    // Both reads are of the same block: a later block could be past the end of the validity.
    let view = BlockView {
        provider: node.provider(),
        block: BlockId::hash(latest.hash),
    };
    let result = view.call(token, call.abi_encode().into(), None).await?;
    let CallResult::Returned(bytes) = result else {
        return Ok(AuthorizationState::Unknown);
    };
    let is_expired = latest.timestamp >= U256::from(valid_before);
    Ok(
        match authorizationStateCall::abi_decode_returns_validate(&bytes) {
            Ok(true) => AuthorizationState::Used,
            Ok(false) if is_expired => AuthorizationState::Expired,
            Ok(false) => AuthorizationState::Unused,
            Err(_) => AuthorizationState::Unknown,
        },
    )
}
