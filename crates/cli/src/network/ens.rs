//! Forward resolution of ENS names.

use alloy_primitives::Address;
use alloy_sol_types::{SolCall, SolError, sol};
use atr_rpc::{BlockView, CallResult, ChainProfile, Node};

use crate::{
    args::{AccountArg, Chain, EnsName},
    error::Error,
};

sol! {
    function resolver(bytes32 node) external view returns (address);
    function addr(bytes32 node) external view returns (address);
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
}

/// Gas of a call to a resolver, which the owner of the name chooses.
const RESOLVER_GAS: u64 = 1_000_000;

/// The address of an account. A name is resolved if the chain has an ENS registry.
pub(crate) async fn resolve(
    account: &AccountArg,
    node: &Node,
    chain_id: u64,
) -> eyre::Result<Address> {
    match account {
        AccountArg::Address(address) => Ok(*address),
        AccountArg::Name(name) => resolve_name(name, node, chain_id).await,
    }
}

async fn resolve_name(name: &EnsName, node: &Node, chain_id: u64) -> eyre::Result<Address> {
    let Some(registry) = ChainProfile::of(chain_id).ens_registry else {
        return Err(Error::NoEns {
            name: name.to_string(),
            chain: Chain::new(chain_id).label(),
        }
        .into());
    };
    let hash = name.hash();
    let failed = |reason: &str| Error::EnsName {
        name: name.to_string(),
        reason: reason.to_owned(),
    };
    let view = BlockView::latest(node.provider());
    let call = resolverCall { node: hash }.abi_encode().into();
    let resolver = view.call(registry, call, Some(RESOLVER_GAS)).await?;
    let resolver = decode::<resolverCall>(&resolver)
        .ok_or_else(|| failed("the ENS registry did not answer"))?;
    if resolver.is_zero() {
        return Err(failed("the name has no resolver").into());
    }
    let call = addrCall { node: hash }.abi_encode().into();
    let address = view.call(resolver, call, Some(RESOLVER_GAS)).await?;
    if let CallResult::Failed { data, .. } = &address
        && data.starts_with(&OffchainLookup::SELECTOR)
    {
        return Err(failed("its address is not on the chain (CCIP-Read); use the address").into());
    }
    let address = decode::<addrCall>(&address).ok_or_else(|| failed("the resolver failed"))?;
    if address.is_zero() {
        return Err(failed("the name has no address").into());
    }
    tracing::info!(%name, %address, "resolved");
    Ok(address)
}

fn decode<C: SolCall<Return = Address>>(result: &CallResult) -> Option<Address> {
    match result {
        CallResult::Returned(bytes) => C::abi_decode_returns_validate(bytes).ok(),
        CallResult::Failed { .. } => None,
    }
}
