//! Names of the Ethereum Name Service.

use alloy_primitives::Address;
use atr_rpc::{BlockView, ChainProfile, Endpoints, Ens, EnsError, EnsName, Node};

use super::node;
use crate::{
    args::{AccountArg, Chain, EnsArgs, FetchArgs},
    context::Context,
    error::Error,
};

/// The address of an account. A name is resolved if the chain has an ENS registry.
pub(crate) async fn resolve(
    account: &AccountArg,
    context: &Context,
    node: &Node,
    chain_id: u64,
) -> eyre::Result<Address> {
    let name = match account {
        AccountArg::Address(address) => return Ok(*address),
        AccountArg::Name(name) => name,
    };
    let registry = registry(&EnsArgs::default(), context, chain_id, name)?;
    let http = FetchArgs::default().client(context)?;
    let view = BlockView::latest(node.provider());
    let ens = Ens::connect(view, registry, http).await?;
    let address = ens.address(name).await;
    let address = address.map_err(|error| failed(name, error))?;
    let reason = "the name has no address".to_owned();
    let name = name.to_string();
    let address = address.ok_or(Error::EnsName { name, reason })?;
    tracing::info!(account = %account_name(account), %address, "resolved");
    Ok(address)
}

fn account_name(account: &AccountArg) -> &str {
    match account {
        AccountArg::Name(name) => name.as_str(),
        AccountArg::Address(_) => "",
    }
}

/// Errors of the node keep their type, which has advice.
pub(crate) fn failed(name: &EnsName, error: EnsError) -> eyre::Report {
    match error {
        EnsError::Rpc(error) => error.into(),
        error => Error::EnsName {
            name: name.to_string(),
            reason: error.to_string(),
        }
        .into(),
    }
}

/// The node of the chain with the names.
pub(crate) fn connect(args: &EnsArgs, context: &Context) -> eyre::Result<Node> {
    match args.rpc_url(context)? {
        Some(url) => Ok(Node::try_new(Endpoints {
            urls: vec![url.url()],
            send_url: None,
            headers: Vec::new(),
            timeout: context.rpc_timeout,
        })?),
        None => node::connect(context),
    }
}

/// The ENS registry: the configured one, or that of the chain.
pub(crate) fn registry(
    args: &EnsArgs,
    context: &Context,
    chain_id: u64,
    name: &EnsName,
) -> Result<Address, Error> {
    let configured = args.registry(context)?;
    let registry = configured.or(ChainProfile::of(chain_id).ens_registry);
    registry.ok_or_else(|| Error::NoEns {
        name: name.to_string(),
        chain: Chain::new(chain_id).label(),
    })
}
