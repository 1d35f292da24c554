//! The node of the settings in force.

use std::time::Duration;

use atr_deploy::Node;
use atr_fetch::{HttpClient, Limits};
use url::Url;

use crate::{
    args::{Chain, RpcUrl},
    config::Settings,
    error::Error,
};

/// Where the node is: said by somebody, or known of the chain, which may be named by a tool.
fn url(settings: &Settings, named: Option<Chain>) -> Result<Url, Error> {
    let chain = named.or(settings.chain.value);
    let usual = chain.and_then(Chain::usual_node);
    let url: RpcUrl = match (&settings.rpc_url.value, usual, chain) {
        (Some(url), ..) => url.clone(),
        (None, Some(usual), _) => usual,
        (None, None, Some(chain)) => {
            return Err(Error::NoNode {
                chain: chain.to_string(),
            });
        }
        (None, None, None) => return Err(Error::NoChain),
    };
    let url: Url = url.expose().parse().expect("it was parsed from a URL");
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::NodeScheme {
            scheme: url.scheme().to_owned(),
        });
    }
    Ok(url)
}

/// A door that waits so long for every answer.
pub(crate) fn door(seconds: u64) -> Result<HttpClient, atr_fetch::Error> {
    HttpClient::try_new(Limits {
        time: Duration::from_secs(seconds),
        ..Limits::default()
    })
}

/// The node, through a door.
pub(crate) fn connect(settings: &Settings, door: HttpClient) -> Result<Node, Error> {
    connect_on(settings, None, door)
}

/// The node of a chain that was named beside the settings, through a door.
pub(crate) fn connect_on(
    settings: &Settings,
    named: Option<Chain>,
    door: HttpClient,
) -> Result<Node, Error> {
    Ok(Node::new(door, url(settings, named)?))
}
