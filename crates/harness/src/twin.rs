//! A world and its model, run at once.

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::registerToolCall;

use crate::{
    CodeSource, Contracts, Receipt, Transaction, World,
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
        self.call(creator, self.contracts.registry, &Self::registration())?;
        Ok(U256::from(self.model.registry.count()))
    }

    /// The registration that [`Twin::register_tool`] makes.
    #[must_use]
    pub fn registration() -> registerToolCall {
        registerToolCall {
            metadataURI: "https://tools.example/.well-known/ai-tool/oracle.json".into(),
            manifestHash: keccak256("manifest"),
            accessPredicate: Address::ZERO,
        }
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
    /// When they do not return, revert and log the same, to the byte; or when something changes that must not, as
    /// [`Receipt::forbidden_change`] has it.
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
        let called = transaction.to.expect("the model creates no contracts");
        if let Some(change) = receipt.forbidden_change(called) {
            let change = self.world.names().within(&format!("{change:?}"));
            let trace = self.world.trace(transaction);
            return Err(format!("changed what it must not: {change}\n{trace}"));
        }
        // Whatever changes anything logs it: we have just seen that.
        if !receipt.logs.is_empty() {
            self.world.send(transaction);
        }
        Ok(receipt)
    }

    /// The same with too little gas, perhaps. The world must do as the model: always if [`Chain::supply`] finds that nobody
    /// lacks gas; else it may also fail in one of the ways that [`Chain::may_lack_gas`] lists, and change nothing.
    ///
    /// # Errors
    ///
    /// When it does anything else.
    pub fn send_starved(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let supply = self.model.supply(transaction);
        if supply.is_full() {
            return self.send(transaction);
        }
        let to = transaction.to.expect("the model creates no contracts");
        let receipt = self.world.try_out(transaction);
        let expected =
            self.model
                .clone()
                .call(transaction.from, to, transaction.value, &transaction.data);
        let as_expected = receipt.outcome == expected.outcome && receipt.logs == expected.logs;
        let lacks_gas = receipt.logs.is_empty()
            && receipt.forbidden_change(to).is_none()
            && self
                .model
                .may_lack_gas(transaction, supply, &expected.outcome, &receipt.outcome);
        if !as_expected && lacks_gas {
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
        let (names, found) = (self.world.names(), trace.receipt());
        format!(
            "expected: {}\nfound: {}\n{trace}",
            names.end(&transaction.data, &reply.outcome, &reply.logs),
            names.end(&transaction.data, &found.outcome, &found.logs)
        )
    }
}
