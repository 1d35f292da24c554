//! A registry, and reading from it.

use alloy::{
    eips::BlockId,
    network::Ethereum,
    providers::{DynProvider, Provider},
};
use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::toolCountCall;

use crate::{
    Error, IntrospectionLimits, ToolState,
    abi::Encoded,
    batch,
    error::failed,
    tool,
    view::{Answer, View},
};

/// A registry on a chain: ours, the reference deployment, anybody's. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Registry {
    provider: DynProvider<Ethereum>,
    address: Address,
    chain_id: u64,
    caps: IntrospectionLimits,
    block: Option<u64>,
}

impl Registry {
    /// Learns which chain the node is on. Whether there is a registry shows with the first read.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn connect(provider: DynProvider<Ethereum>, address: Address) -> Result<Self, Error> {
        let chain_id = provider.get_chain_id().await;
        Ok(Self {
            chain_id: chain_id.map_err(failed("eth_chainId"))?,
            provider,
            address,
            caps: IntrospectionLimits::default(),
            block: None,
        })
    }

    /// Reads so much of a predicate's requirements.
    #[must_use]
    pub const fn with_caps(mut self, caps: IntrospectionLimits) -> Self {
        self.caps = caps;
        self
    }

    /// Reads everything at this block from now on, instead of the latest.
    #[must_use]
    pub const fn at_block(mut self, number: u64) -> Self {
        self.block = Some(number);
        self
    }

    /// Where it is.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// The chain it is on.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// The way to the node.
    #[must_use]
    pub const fn provider(&self) -> &DynProvider<Ethereum> {
        &self.provider
    }

    /// How much of a predicate's requirements is read.
    #[must_use]
    pub const fn caps(&self) -> IntrospectionLimits {
        self.caps
    }

    /// The highest id given so far; removed tools count.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn tool_count(&self) -> Result<U256, Error> {
        let question = toolCountCall {}.abi_encode().into();
        let answer = self.view().ask(self.address, question, None).await?;
        let count = answer
            .returned()
            .and_then(|bytes| Encoded::new(&bytes).number(0).ok());
        count.ok_or_else(|| self.no_registry("it does not answer toolCount"))
    }

    /// What the registry says about a tool.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn tool(&self, id: U256) -> Result<ToolState, Error> {
        let question = tool::question(id);
        let answer = self.view().ask(self.address, question, None).await?;
        self.tool_state(id, &answer)
    }

    /// What the registry says about several tools, in their order, all at one block.
    ///
    /// # Errors
    ///
    /// When the node does not answer, or the address is no registry.
    pub async fn tools(&self, ids: &[U256]) -> Result<Vec<ToolState>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let view = self.view_at(self.block().await?);
        let questions: Vec<_> = ids.iter().map(|id| tool::question(*id)).collect();
        let answers = batch::ask_all(view, self.address, &questions).await?;
        let states = ids.iter().zip(&answers);
        states
            .map(|(id, answer)| self.tool_state(*id, answer))
            .collect()
    }

    fn tool_state(&self, id: U256, answer: &Answer) -> Result<ToolState, Error> {
        tool::state(id, answer).map_err(|reason| self.no_registry(reason))
    }

    /// The number of the block that is read: the one that was asked for, or the latest.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn block(&self) -> Result<u64, Error> {
        match self.block {
            Some(number) => Ok(number),
            None => {
                let number = self.provider.get_block_number().await;
                number.map_err(failed("eth_blockNumber"))
            }
        }
    }

    /// For one question: several would each see their own latest block.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            provider: &self.provider,
            block: self.block.map_or(BlockId::latest(), BlockId::number),
        }
    }

    pub(crate) const fn view_at(&self, block: u64) -> View<'_> {
        View {
            provider: &self.provider,
            block: BlockId::number(block),
        }
    }

    pub(crate) fn no_registry(&self, reason: impl Into<String>) -> Error {
        Error::NotARegistry {
            address: self.address,
            chain_id: self.chain_id,
            reason: reason.into(),
        }
    }
}
