//! Connection to the configured registry, or to the registry of a tool reference.

use alloy_primitives::{Address, B256, U256};
use atr_deploy::Suite;
use atr_ids::ToolRef;
use atr_registry::{Registry, ToolConfig, ToolState};

use super::node;
use crate::{
    args::{Chain, ToolArg},
    context::Context,
    error::Error,
};

/// Maximum number of tools listed in an error about an ambiguous manifest URL.
const MAX_LISTED: usize = 10;

/// Connects to the configured registry.
pub(crate) async fn connect(context: &Context) -> eyre::Result<Registry> {
    let address = address(context);
    connect_to(context, address, None).await
}

/// Connects to the registry of a tool.
pub(crate) async fn connect_for_tool(context: &Context, tool: &ToolArg) -> eyre::Result<Registry> {
    match tool {
        ToolArg::Reference(tool) => connect_to(context, tool.registry(), Some(tool.chain())).await,
        ToolArg::Id(_) | ToolArg::ManifestUrl(_) => connect(context).await,
    }
}

fn address(context: &Context) -> Address {
    let choice = context.settings.registry.value.address();
    choice.unwrap_or_else(|| Suite::new(B256::ZERO).registry())
}

async fn connect_to(
    context: &Context,
    address: Address,
    tool_chain: Option<u64>,
) -> eyre::Result<Registry> {
    let setting = context.settings.chain.value.map(|chain| chain.id());
    if let (Some(tool), Some(setting)) = (tool_chain, setting)
        && tool != setting
    {
        return Err(Error::ToolOnOtherChain {
            tool,
            setting,
            setting_source: context.settings.chain.source.clone(),
        }
        .into());
    }
    let node = node::connect_on(context, tool_chain.map(Chain::new))?;
    let registry = Registry::connect(node.provider().clone(), address).await?;
    let found = registry.chain_id();
    match tool_chain.or(setting) {
        Some(expected) if expected != found => Err(Error::WrongChain { expected, found }.into()),
        _ => Ok(registry),
    }
}

/// All tools that match: one for a reference or an id, one or more for a manifest URL.
pub(crate) async fn find_tools(registry: &Registry, tool: &ToolArg) -> eyre::Result<Vec<ToolRef>> {
    let reference = |id| ToolRef::try_new(registry.chain_id(), registry.address(), id);
    match tool {
        ToolArg::Reference(tool) => Ok(vec![*tool]),
        ToolArg::Id(id) => Ok(vec![reference(*id)?]),
        ToolArg::ManifestUrl(url) => {
            let found = tools_with_manifest_url(registry, url).await?;
            if found.is_empty() {
                return Err(Error::NoToolWithManifestUrl { url: url.clone() }.into());
            }
            let tools = found.into_iter().map(|(id, _)| Ok(reference(id)?));
            tools.collect()
        }
    }
}

/// The tool that matches; an error if several have the same manifest URL.
pub(crate) async fn find_tool(registry: &Registry, tool: &ToolArg) -> eyre::Result<ToolRef> {
    let found = find_tools(registry, tool).await?;
    match found.as_slice() {
        [tool] => Ok(*tool),
        tools => Err(Error::AmbiguousManifestUrl {
            url: tool.to_string(),
            count: tools.len(),
            shown: tools
                .iter()
                .take(MAX_LISTED)
                .map(ToString::to_string)
                .collect(),
        }
        .into()),
    }
}

/// Configuration of a tool; an error if it is not registered.
pub(crate) async fn active_config(registry: &Registry, tool: ToolRef) -> eyre::Result<ToolConfig> {
    Ok(registry.registered_tool(tool.id()).await?)
}

/// An error unless the sender is the creator: every change would revert.
pub(crate) fn ensure_creator(
    tool: ToolRef,
    config: &ToolConfig,
    sender: Address,
) -> Result<(), Error> {
    if sender == config.creator {
        return Ok(());
    }
    Err(Error::NotCreator {
        id: tool.id(),
        creator: config.creator,
        sender,
    })
}

/// All ids that were ever assigned, including deregistered tools.
pub(crate) async fn all_tools(registry: &Registry) -> eyre::Result<Vec<(U256, ToolState)>> {
    let mut pages = registry.pages().await?;
    let mut tools = Vec::new();
    loop {
        let page = pages.next_page().await?;
        if page.is_empty() {
            return Ok(tools);
        }
        tools.extend(page);
    }
}

/// Registered tools whose `metadataURI` is `url`.
pub(crate) async fn tools_with_manifest_url(
    registry: &Registry,
    url: &str,
) -> eyre::Result<Vec<(U256, ToolConfig)>> {
    Ok(registry.tools_by_metadata_uri(url).await?)
}
