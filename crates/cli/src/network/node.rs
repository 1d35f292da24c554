//! Connection to the configured node.

use atr_deploy::Node;
use atr_fetch::{HttpClient, Limits};
use url::Url;

use crate::{
    args::{Chain, RpcUrl},
    config::Settings,
    context::Context,
    error::Error,
};

/// The configured RPC URL, or the default of the chain.
fn rpc_url(settings: &Settings, tool_chain: Option<Chain>) -> Result<Url, Error> {
    let chain = tool_chain.or(settings.chain.value);
    let default = chain.and_then(Chain::default_rpc_url);
    let url: RpcUrl = match (&settings.rpc_url.value, default, chain) {
        (Some(url), ..) => url.clone(),
        (None, Some(default), _) => default,
        (None, None, Some(chain)) => {
            return Err(Error::NoRpcUrl {
                chain: chain.to_string(),
            });
        }
        (None, None, None) => return Err(Error::NoChain),
    };
    Ok(url.expose().parse().expect("an RpcUrl is a valid URL"))
}

/// HTTP client with the timeout of `--rpc-timeout`.
pub(crate) fn http_client(context: &Context) -> Result<HttpClient, atr_fetch::Error> {
    HttpClient::try_new(Limits {
        timeout: context.rpc_timeout,
        ..Limits::default()
    })
}

/// The node of the settings.
pub(crate) fn connect(context: &Context) -> eyre::Result<Node> {
    connect_on(context, None)
}

/// The node of the settings, or of `tool_chain` if a tool reference names the chain.
pub(crate) fn connect_on(context: &Context, tool_chain: Option<Chain>) -> eyre::Result<Node> {
    let url = rpc_url(&context.settings, tool_chain)?;
    Ok(Node::new(http_client(context)?, url))
}
