//! Connection to the configured node.

use std::collections::HashMap;

use atr_fetch::{HttpClient, Limits};
use atr_rpc::{Endpoints, Node};
use atr_store::index::IndexStore;
use url::{Host, Url};

use crate::{
    args::{Chain, Endpoint, InvalidValue, RpcUrl, RpcUrls},
    config::{Setting, Source},
    context::Context,
    error::Error,
    process::clock,
};

/// Used if `atr` has no RPC URL of its own; Foundry's tools use the same variable.
const FALLBACK_VARIABLE: &str = "ETH_RPC_URL";

/// The RPC URLs and their source: the setting, else the endpoint of the chain in `foundry.toml`, else `ETH_RPC_URL`, else the
/// default of the chain.
pub(crate) fn rpc_setting(
    context: &Context,
    chain: Option<Chain>,
) -> Result<Option<Setting<Vec<RpcUrl>>>, Error> {
    let setting = &context.settings.rpc_url;
    if let Some(urls) = &setting.value {
        return resolve(context, urls, &setting.source).map(Some);
    }
    if let Some(chain) = chain
        && let Some((url, source)) = context
            .foundry
            .rpc_url(&chain.to_string(), &context.environment)?
    {
        let value = vec![url];
        return Ok(Some(Setting { value, source }));
    }
    let name = FALLBACK_VARIABLE;
    if let Some(text) = context.environment.text(name)? {
        let urls = text
            .parse()
            .map_err(|reason| Error::InvalidVariable { name, reason })?;
        return resolve(context, &urls, &Source::Environment { name }).map(Some);
    }
    Ok(chain.and_then(Chain::default_rpc_url).map(|url| Setting {
        value: vec![url],
        source: Source::Default,
    }))
}

/// Replaces names by the URLs of `foundry.toml`.
fn resolve(
    context: &Context,
    urls: &RpcUrls,
    source: &Source,
) -> Result<Setting<Vec<RpcUrl>>, Error> {
    let mut value = Vec::new();
    for endpoint in &urls.0 {
        value.push(match endpoint {
            Endpoint::Url(url) => url.clone(),
            Endpoint::Name(name) => {
                let found = context.foundry.rpc_url(name, &context.environment)?;
                let (url, _) = found.ok_or_else(|| Error::NoEndpoint {
                    setting_source: source.clone(),
                    reason: InvalidValue::EndpointName {
                        found: name.clone(),
                    },
                })?;
                url
            }
        });
    }
    Ok(Setting {
        value,
        source: source.clone(),
    })
}

/// The RPC URLs of the settings, in the order of their use.
pub(crate) fn rpc_urls(context: &Context, tool_chain: Option<Chain>) -> Result<Vec<Url>, Error> {
    let chain = tool_chain.or(context.settings.chain.value);
    match (rpc_setting(context, chain)?, chain) {
        (Some(urls), _) => Ok(urls.value.iter().map(RpcUrl::url).collect()),
        (None, Some(chain)) => Err(Error::NoRpcUrl {
            chain: chain.to_string(),
        }),
        (None, None) => Err(Error::NoChain),
    }
}

/// Whether all nodes of the settings are on this machine: a development chain, which no block explorer knows.
pub(crate) fn is_local(context: &Context) -> bool {
    let is_loopback = |url: &Url| match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    rpc_urls(context, None).is_ok_and(|urls| urls.iter().all(is_loopback))
}

/// HTTP client for explorers, with the timeout of `--rpc-timeout`.
pub(crate) fn http_client(context: &Context) -> Result<HttpClient, atr_fetch::Error> {
    HttpClient::try_new(Limits {
        timeout: context.rpc_timeout,
        ..Limits::default()
    })
}

/// The second RPC URL of the settings alone, to compare it with the first.
pub(crate) fn connect_second(
    context: &Context,
    tool_chain: Option<Chain>,
) -> eyre::Result<Option<Node>> {
    let urls = rpc_urls(context, tool_chain)?;
    let Some(second) = urls.into_iter().nth(1) else {
        return Ok(None);
    };
    let headers = context.rpc_headers.iter().map(|header| header.0.clone());
    Ok(Some(Node::try_new(Endpoints {
        urls: vec![second],
        send_url: None,
        headers: headers.collect(),
        timeout: context.rpc_timeout,
    })?))
}

/// The node of the settings.
pub(crate) fn connect(context: &Context) -> eyre::Result<Node> {
    connect_on(context, None)
}

/// The node of the settings, or of `tool_chain` if a tool reference names the chain.
pub(crate) fn connect_on(context: &Context, tool_chain: Option<Chain>) -> eyre::Result<Node> {
    let headers = context.rpc_headers.iter().map(|header| header.0.clone());
    Ok(Node::try_new(Endpoints {
        urls: rpc_urls(context, tool_chain)?,
        send_url: context.send_rpc_url.as_ref().map(RpcUrl::url),
        headers: headers.collect(),
        timeout: context.rpc_timeout,
    })?)
}

/// Nodes of the indexed chains, by chain id. A chain without an RPC URL has none: access and payments there are unknown.
pub(crate) async fn connect_all(
    context: &Context,
    store: &dyn IndexStore,
    more: impl IntoIterator<Item = u64>,
) -> eyre::Result<HashMap<u64, Node>> {
    let status = store.status(clock::now()).await?;
    let chains = status
        .registries
        .iter()
        .map(|registry| registry.key.chain_id);
    let chains = chains.chain(context.settings.chain.value.map(Chain::id));
    let chains = chains.chain(more);
    let node = |chain| Some((chain, connect_on(context, Some(Chain::new(chain))).ok()?));
    Ok(chains.filter_map(node).collect())
}
