//! The registry of the settings in force, or the one a tool's name says.

use alloy_primitives::{Address, B256, U256};
use atr_deploy::Suite;
use atr_ids::ToolRef;
use atr_registry::{Registry, ToolConfig, ToolState};

use crate::{
    args::{Chain, ToolName},
    context::Context,
    error::Error,
    network::node,
};

/// Seconds to wait for an answer of the node.
const NODE_SECONDS: u64 = 20;

/// Tools of one place that are shown to choose from.
const SHOWN: usize = 10;

/// Connects to the registry of the settings.
pub(crate) async fn connect(context: &Context) -> eyre::Result<Registry> {
    let address = address(context);
    connect_to(context, address, None).await
}

/// Connects to the registry a tool is in, by its name or by the settings.
pub(crate) async fn connect_for(context: &Context, name: &ToolName) -> eyre::Result<Registry> {
    match name {
        ToolName::Reference(tool) => connect_to(context, tool.registry(), Some(tool.chain())).await,
        ToolName::Id(_) | ToolName::Place(_) => connect(context).await,
    }
}

/// Where the registry of the settings is; ours is where `atr deploy` puts it.
pub(crate) fn address(context: &Context) -> Address {
    let choice = context.settings.registry.value.address();
    choice.unwrap_or_else(|| Suite::new(B256::ZERO).registry())
}

async fn connect_to(
    context: &Context,
    address: Address,
    chain: Option<u64>,
) -> eyre::Result<Registry> {
    let chosen = context.settings.chain.value.map(|chain| chain.id());
    if let (Some(named), Some(chosen)) = (chain, chosen)
        && named != chosen
    {
        return Err(Error::TwoChains {
            named,
            chosen,
            source_of_other: context.settings.chain.source.clone(),
        }
        .into());
    }
    let door = node::door(NODE_SECONDS)?;
    let node = node::connect_on(&context.settings, chain.map(Chain::of_id), door)?;
    let registry = Registry::connect(node.provider().clone(), address).await?;
    let found = registry.chain_id();
    match chain.or(chosen) {
        Some(expected) if expected != found => Err(Error::WrongChain { expected, found }.into()),
        _ => Ok(registry),
    }
}

/// The tools a name stands for: one, or as many as were registered of one place.
pub(crate) async fn find(registry: &Registry, name: &ToolName) -> eyre::Result<Vec<ToolRef>> {
    let of_id = |id| ToolRef::try_new(registry.chain_id(), registry.address(), id);
    match name {
        ToolName::Reference(tool) => Ok(vec![*tool]),
        ToolName::Id(id) => Ok(vec![of_id(*id)?]),
        ToolName::Place(place) => {
            let found = of_place(registry, place).await?;
            if found.is_empty() {
                return Err(Error::NoToolAt {
                    place: place.clone(),
                }
                .into());
            }
            let tools = found.into_iter().map(|(id, _)| Ok(of_id(id)?));
            tools.collect()
        }
    }
}

/// The one tool a name stands for. Of several with one place none is picked.
pub(crate) async fn find_one(registry: &Registry, name: &ToolName) -> eyre::Result<ToolRef> {
    let found = find(registry, name).await?;
    match found.as_slice() {
        [tool] => Ok(*tool),
        several => Err(Error::SeveralTools {
            place: name.to_string(),
            count: several.len(),
            shown: several
                .iter()
                .take(SHOWN)
                .map(ToString::to_string)
                .collect(),
        }
        .into()),
    }
}

/// The configuration of a tool that must be there.
pub(crate) async fn live(registry: &Registry, tool: ToolRef) -> eyre::Result<ToolConfig> {
    let id = tool.id();
    match registry.tool(id).await? {
        ToolState::Live(config) => Ok(config),
        ToolState::Deregistered => Err(atr_registry::Error::ToolIsDeregistered { id }.into()),
        ToolState::NeverRegistered => Err(atr_registry::Error::ToolNotFound { id }.into()),
    }
}

/// Every id ever given and what became of it.
pub(crate) async fn all(registry: &Registry) -> eyre::Result<Vec<(U256, ToolState)>> {
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

/// The tools whose manifest is at a place.
pub(crate) async fn of_place(
    registry: &Registry,
    place: &str,
) -> eyre::Result<Vec<(U256, ToolConfig)>> {
    let mut pages = registry.pages().await?;
    let mut found = Vec::new();
    loop {
        let page = pages.next_page().await?;
        if page.is_empty() {
            return Ok(found);
        }
        let live = page
            .into_iter()
            .filter_map(|(id, state)| Some((id, state.live()?)));
        found.extend(live.filter(|(_, config)| config.metadata_uri == place));
    }
}
