//! A world and its model, run at once.

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::registerToolCall;

use crate::{
    CodeSource, Contracts, Outcome, Receipt, Transaction, World,
    model::{Chain, Reply, tokens::Tokens},
};

/// A world with all contracts in it, and the model that tells what they must do.
#[derive(Debug)]
pub struct Twin {
    /// The world.
    pub world: World,
    /// What it must do.
    pub model: Chain,
    /// Where the contracts are.
    pub contracts: Contracts,
}

impl Default for Twin {
    /// All ten contracts, from the bytes that `ATR_CODE` names.
    fn default() -> Self {
        let mut world = World::default();
        let contracts = Contracts::install(&mut world, &CodeSource::from_environment());
        Self::new(world, contracts)
    }
}

impl Twin {
    /// A world in which nothing has happened but that the contracts were deployed.
    #[must_use]
    pub fn new(world: World, contracts: Contracts) -> Self {
        let mut model = Chain::new(&contracts);
        model.neighbours.time = world.time();
        model.neighbours.chain_id = world.chain_id();
        Self {
            world,
            model,
            contracts,
        }
    }

    /// Registers a tool that everyone may use, and says its id.
    ///
    /// # Errors
    ///
    /// As [`Twin::call`].
    pub fn register_tool(&mut self, creator: Address) -> Result<U256, String> {
        let call = registerToolCall {
            metadataURI: "https://tools.example/.well-known/ai-tool/oracle.json".into(),
            manifestHash: keccak256("manifest"),
            accessPredicate: Address::ZERO,
        };
        self.call(creator, self.contracts.registry, &call)?;
        Ok(U256::from(self.model.registry.count()))
    }

    /// The tokens of the model: tell them what happens to those of the world.
    pub const fn tokens(&mut self) -> &mut Tokens {
        &mut self.model.neighbours.tokens
    }

    /// Sets both clocks.
    pub fn set_time(&mut self, seconds: u64) {
        self.world.set_time(seconds);
        self.model.neighbours.time = seconds;
    }

    /// Makes both another chain.
    pub fn set_chain_id(&mut self, chain_id: u64) {
        self.world.set_chain_id(chain_id);
        self.model.neighbours.chain_id = chain_id;
    }

    /// Makes a call to the registry or a predicate, in the world and in the model.
    ///
    /// # Errors
    ///
    /// When they do not return, revert and log the same, to the byte.
    pub fn call<C: SolCall>(
        &mut self,
        from: Address,
        to: Address,
        call: &C,
    ) -> Result<Receipt, String> {
        self.send(&Transaction::call(from, to, call))
    }

    /// The same with any transaction.
    ///
    /// # Errors
    ///
    /// As [`Twin::call`].
    pub fn send(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let reply = self.model_reply(transaction);
        let receipt = self.world.try_out(transaction);
        if receipt.outcome != reply.outcome || receipt.logs != reply.logs {
            return Err(self.difference(transaction, &reply));
        }
        // Whatever changes anything logs it.
        if !receipt.logs.is_empty() {
            self.world.send(transaction);
        }
        Ok(receipt)
    }

    /// The same with too little gas, perhaps: the world must do as the model, or fail and change nothing. What the registry
    /// tells about a predicate that could not answer counts as a failure.
    ///
    /// # Errors
    ///
    /// When it does anything else.
    pub fn send_starved(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let receipt = self.world.try_out(transaction);
        if receipt.outcome.is_no_answer() {
            return Ok(receipt);
        }
        self.send(transaction)
    }

    fn model_reply(&mut self, transaction: &Transaction) -> Reply {
        let to = transaction.to.expect("the model creates no contracts");
        self.model
            .call(transaction.from, to, transaction.value, &transaction.data)
    }

    fn difference(&self, transaction: &Transaction, reply: &Reply) -> String {
        let trace = self.world.trace(transaction);
        let names = self.world.names();
        let expected = match &reply.outcome {
            Outcome::Reverted(data) => format!("a revert with {}", names.error(data)),
            other => names.within(&format!("{other:?}")),
        };
        let logs = names.within(&format!("{:?}", reply.logs));
        let logged = names.within(&format!("{:?}", trace.receipt().logs));
        format!("expected {expected}\n  and the logs {logs}\nfound the logs {logged}\n{trace}")
    }
}

impl Outcome {
    /// Whether it failed, or is the registry's `(false, false)`.
    #[must_use]
    pub fn is_no_answer(&self) -> bool {
        match self {
            Self::Returned(bytes) => bytes.len() == 64 && bytes.iter().all(|byte| *byte == 0),
            Self::Created(_) => false,
            Self::Reverted(_) | Self::Halted(_) => true,
        }
    }
}
