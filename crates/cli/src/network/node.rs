//! Connection to the configured node.

use atr_fetch::{HttpClient, Limits};
use atr_rpc::{Endpoints, Node};
use url::Url;

use crate::{
    args::{Chain, RpcUrl, RpcUrls},
    config::Settings,
    context::Context,
    error::Error,
};

/// The configured RPC URLs, or the default of the chain.
fn rpc_urls(settings: &Settings, tool_chain: Option<Chain>) -> Result<Vec<Url>, Error> {
    let chain = tool_chain.or(settings.chain.value);
    let default = chain.and_then(Chain::default_rpc_url);
    let urls: RpcUrls = match (&settings.rpc_url.value, default, chain) {
        (Some(url), ..) => url.clone(),
        (None, Some(default), _) => default.into(),
        (None, None, Some(chain)) => {
            return Err(Error::NoRpcUrl {
                chain: chain.to_string(),
            });
        }
        (None, None, None) => return Err(Error::NoChain),
    };
    Ok(urls.urls())
}

/// HTTP client for explorers, with the timeout of `--rpc-timeout`.
pub(crate) fn http_client(context: &Context) -> Result<HttpClient, atr_fetch::Error> {
    HttpClient::try_new(Limits {
        timeout: context.rpc_timeout,
        ..Limits::default()
    })
}

/// The second RPC URL of the settings alone, to compare it with the first.
pub(crate) fn connect_second(context: &Context) -> eyre::Result<Option<Node>> {
    let urls = context.settings.rpc_url.value.as_ref().map(RpcUrls::urls);
    let Some(second) = urls.and_then(|urls| urls.into_iter().nth(1)) else {
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
        urls: rpc_urls(&context.settings, tool_chain)?,
        send_url: context.send_rpc_url.as_ref().map(RpcUrl::url),
        headers: headers.collect(),
        timeout: context.rpc_timeout,
    })?)
}
