//! Reads from a registry.

mod access;
mod calls;
mod event_stream;
mod events;
mod info;
mod pages;
mod predicate_events;
mod predicate_history;
mod reference;
mod registration;
mod tool;

use alloy::{
    eips::BlockId,
    network::Ethereum,
    providers::{DynProvider, Provider},
};
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::toolCountCall;

pub use access::Access;
pub use calls::SET_PREDICATE_GAS_LIMIT;
pub use event_stream::{EventBatch, EventCheckpoint, ToolEventStream};
pub use events::{LoggedEvent, ToolEvent};
pub use info::RegistryInfo;
pub use pages::{MAX_TOOLS, ToolPages};
pub use predicate_events::{LoggedPredicateEvent, PredicateEvent};
pub use reference::{REFERENCE_CHAINS, REFERENCE_REGISTRY};
pub use registration::{Registration, RegistrationAccess, ScriptRunner};
pub use tool::{ToolConfig, ToolState};

use crate::{Error, IntrospectionLimits, abi::AbiSlice, error::rpc_error};
use atr_rpc::{BlockView, CallResult, call_all};

/// An ERC-8257 registry on a chain. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Registry {
    provider: DynProvider<Ethereum>,
    address: Address,
    chain_id: u64,
    introspection_limits: IntrospectionLimits,
    block: Option<u64>,
}

impl Registry {
    /// Requests the node's chain id. Does not check that the address is a registry; the first read does.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn connect(provider: DynProvider<Ethereum>, address: Address) -> Result<Self, Error> {
        let chain_id = provider.get_chain_id().await;
        let chain_id = chain_id.map_err(rpc_error("eth_chainId"))?;
        Ok(Self::new(provider, address, chain_id))
    }

    /// A registry on a chain that is known. Sends nothing yet.
    #[must_use]
    pub fn new(provider: DynProvider<Ethereum>, address: Address, chain_id: u64) -> Self {
        Self {
            provider,
            address,
            chain_id,
            introspection_limits: IntrospectionLimits::default(),
            block: None,
        }
    }

    /// Sets the limits for reading a predicate's requirements.
    #[must_use]
    pub const fn with_introspection_limits(mut self, limits: IntrospectionLimits) -> Self {
        self.introspection_limits = limits;
        self
    }

    /// Reads at this block instead of the latest.
    #[must_use]
    pub const fn at_block(mut self, number: u64) -> Self {
        self.block = Some(number);
        self
    }

    /// Address of the registry.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// EIP-155 chain id.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// The node connection.
    #[must_use]
    pub const fn provider(&self) -> &DynProvider<Ethereum> {
        &self.provider
    }

    /// The limits for reading a predicate's requirements.
    #[must_use]
    pub const fn introspection_limits(&self) -> IntrospectionLimits {
        self.introspection_limits
    }

    /// The highest tool id so far, including deregistered tools.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the address is not a registry.
    pub async fn tool_count(&self) -> Result<U256, Error> {
        match self.read_count().await {
            Err(error) => Err(self.explain(error).await),
            count => count,
        }
    }

    async fn read_count(&self) -> Result<U256, Error> {
        let call = toolCountCall {}.abi_encode().into();
        let result = self.view().call(self.address, call, None).await?;
        let count = result
            .returned()
            .and_then(|bytes| AbiSlice::new(&bytes).uint256(0).ok());
        count.ok_or_else(|| self.not_a_registry("toolCount() failed"))
    }

    /// The state of a tool.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the address is not a registry.
    pub async fn tool(&self, id: U256) -> Result<ToolState, Error> {
        let result = self
            .view()
            .call(self.address, tool::call_data(id), None)
            .await?;
        match self.tool_state(id, &result) {
            Err(error) => Err(self.explain(error).await),
            state => state,
        }
    }

    /// The state of a tool at a block; `None` if the node does not have that state.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the address is not a registry.
    pub async fn tool_at(&self, id: U256, block: B256) -> Result<Option<ToolState>, Error> {
        let view = BlockView {
            provider: &self.provider,
            block: BlockId::hash(block),
        };
        match view.call(self.address, tool::call_data(id), None).await {
            Ok(result) => self.tool_state(id, &result).map(Some),
            Err(atr_rpc::Error::Node { source, .. }) if source.is_error_resp() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The configuration of a registered tool.
    ///
    /// # Errors
    ///
    /// When the tool does not exist or is deregistered, the RPC request fails, or the address is not a registry.
    pub async fn registered_tool(&self, id: U256) -> Result<ToolConfig, Error> {
        match self.tool(id).await? {
            ToolState::Live(config) => Ok(config),
            ToolState::Deregistered => Err(Error::ToolIsDeregistered { id }),
            ToolState::NeverRegistered => {
                let error = Error::ToolNotFound { id, count: None };
                Err(self.explain(error).await)
            }
        }
    }

    /// The states of several tools in the same order, all at one block.
    ///
    /// # Errors
    ///
    /// When an RPC request fails or the address is not a registry.
    pub async fn tools(&self, ids: &[U256]) -> Result<Vec<ToolState>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let view = self.view_at(self.block().await?);
        let calls: Vec<_> = ids.iter().map(|id| tool::call_data(*id)).collect();
        let results = call_all(view, self.address, &calls).await?;
        let states = ids.iter().zip(&results);
        let states: Result<_, _> = states
            .map(|(id, result)| self.tool_state(*id, result))
            .collect();
        match states {
            Err(error) => Err(self.explain(error).await),
            states => states,
        }
    }

    /// Call data of `getToolConfig`, for callers that send the request themselves.
    #[must_use]
    pub fn tool_call(id: U256) -> Bytes {
        tool::call_data(id)
    }

    /// Decodes the result of [`Self::tool_call`].
    ///
    /// # Errors
    ///
    /// When the address is not a registry.
    pub fn tool_state(&self, id: U256, result: &CallResult) -> Result<ToolState, Error> {
        tool::decode_state(id, result).map_err(|reason| self.not_a_registry(reason))
    }

    /// The block number that reads use: the one set by [`Self::at_block`], otherwise the latest.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn block(&self) -> Result<u64, Error> {
        match self.block {
            Some(number) => Ok(number),
            None => {
                let number = self.provider.get_block_number().await;
                number.map_err(rpc_error("eth_blockNumber"))
            }
        }
    }

    /// For a single request. Several requests could see different latest blocks; use [`Self::view_at`] for them.
    pub(crate) fn view(&self) -> BlockView<'_> {
        BlockView {
            provider: &self.provider,
            block: self.block.map_or(BlockId::latest(), BlockId::number),
        }
    }

    pub(crate) const fn view_at(&self, block: u64) -> BlockView<'_> {
        BlockView {
            provider: &self.provider,
            block: BlockId::number(block),
        }
    }

    /// Adds to an error what needs another request: whether there is a contract, and how many tools there are.
    pub(crate) async fn explain(&self, error: Error) -> Error {
        match error {
            Error::NotARegistry {
                address, chain_id, ..
            } => match self.view().code(address).await {
                Ok(code) if code.is_empty() => Error::NoContract { address, chain_id },
                _ => error,
            },
            Error::ToolNotFound { id, .. } => Error::ToolNotFound {
                id,
                count: self.read_count().await.ok(),
            },
            error => error,
        }
    }

    pub(crate) fn not_a_registry(&self, reason: impl Into<String>) -> Error {
        Error::NotARegistry {
            address: self.address,
            chain_id: self.chain_id,
            reason: reason.into(),
        }
    }
}
