//! Forward resolution of ENS names: resolvers of parents (ENSIP-10) and answers outside the chain (ERC-3668) included.

mod offchain;

use alloy_primitives::{Address, Bytes, FixedBytes, fixed_bytes};
use alloy_sol_types::{SolCall, sol};
use atr_rpc::{BlockView, CallResult, ChainProfile, Node};

use self::offchain::OffchainCaller;
use crate::{
    args::{AccountArg, Chain, EnsName, FetchArgs},
    context::Context,
    error::Error,
};

sol! {
    function resolver(bytes32 node) external view returns (address);
    function addr(bytes32 node) external view returns (address);
    function resolve(bytes name, bytes data) external view returns (bytes);
    function supportsInterface(bytes4 id) external view returns (bool);
}

/// Interface id of resolvers that answer for subdomains (ENSIP-10).
const EXTENDED_RESOLVER_ID: FixedBytes<4> = fixed_bytes!("0x9061b923");

/// Gas of a call to a resolver, which the owner of the name chooses. Checks of proofs cost more than a lookup.
const RESOLVER_GAS: u64 = 10_000_000;

/// The address of an account. A name is resolved if the chain has an ENS registry.
pub(crate) async fn resolve(
    account: &AccountArg,
    context: &Context,
    node: &Node,
    chain_id: u64,
) -> eyre::Result<Address> {
    match account {
        AccountArg::Address(address) => Ok(*address),
        AccountArg::Name(name) => resolve_name(name, context, node, chain_id).await,
    }
}

async fn resolve_name(
    name: &EnsName,
    context: &Context,
    node: &Node,
    chain_id: u64,
) -> eyre::Result<Address> {
    let Some(registry) = ChainProfile::of(chain_id).ens_registry else {
        return Err(Error::NoEns {
            name: name.to_string(),
            chain: Chain::new(chain_id).label(),
        }
        .into());
    };
    let failed = |reason: String| Error::EnsName {
        name: name.to_string(),
        reason,
    };
    let view = BlockView::latest(node.provider());
    let Some((resolver, is_parent)) = find_resolver(&view, registry, name).await? else {
        return Err(failed("the name has no resolver".to_owned()).into());
    };
    let lookup = addrCall { node: name.hash() }.abi_encode();
    let is_extended = is_extended(&view, resolver).await?;
    if is_parent && !is_extended {
        return Err(failed("the name has no resolver".to_owned()).into());
    }
    let call = match is_extended {
        true => resolveCall {
            name: name.dns_encoding(),
            data: lookup.into(),
        }
        .abi_encode(),
        false => lookup,
    };
    let http = FetchArgs::default().client(context)?;
    let caller = OffchainCaller::new(&view, &http);
    let answer = caller.call(resolver, call.into(), RESOLVER_GAS).await?;
    let answer = answer.map_err(|reason| failed(reason.to_string()))?;
    let address = match is_extended {
        true => decode_extended(&answer),
        false => addrCall::abi_decode_returns_validate(&answer).ok(),
    };
    let address = address.ok_or_else(|| failed("the resolver failed".to_owned()))?;
    if address.is_zero() {
        return Err(failed("the name has no address".to_owned()).into());
    }
    tracing::info!(%name, %address, "resolved");
    Ok(address)
}

/// The resolver of the name or of its closest parent that has one, and whether it is a parent's.
async fn find_resolver(
    view: &BlockView<'_>,
    registry: Address,
    name: &EnsName,
) -> eyre::Result<Option<(Address, bool)>> {
    for (index, parent) in name.ancestors().enumerate() {
        let call = resolverCall {
            node: parent.hash(),
        };
        let result = view.call(registry, call.abi_encode().into(), Some(RESOLVER_GAS));
        let resolver = match result.await? {
            CallResult::Returned(bytes) => resolverCall::abi_decode_returns_validate(&bytes).ok(),
            CallResult::Failed { .. } => None,
        };
        let Some(resolver) = resolver else {
            return Err(Error::EnsName {
                name: name.to_string(),
                reason: "the ENS registry did not answer".to_owned(),
            }
            .into());
        };
        if !resolver.is_zero() {
            return Ok(Some((resolver, index > 0)));
        }
    }
    Ok(None)
}

async fn is_extended(view: &BlockView<'_>, resolver: Address) -> eyre::Result<bool> {
    let call = supportsInterfaceCall {
        id: EXTENDED_RESOLVER_ID,
    };
    let result = view.call(resolver, call.abi_encode().into(), Some(RESOLVER_GAS));
    Ok(match result.await? {
        CallResult::Returned(bytes) => {
            supportsInterfaceCall::abi_decode_returns_validate(&bytes).unwrap_or(false)
        }
        CallResult::Failed { .. } => false,
    })
}

/// The address in the bytes that `resolve` returns.
fn decode_extended(answer: &Bytes) -> Option<Address> {
    let inner = resolveCall::abi_decode_returns_validate(answer).ok()?;
    addrCall::abi_decode_returns_validate(&inner).ok()
}
