//! A world and its model in lockstep.

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry::registerToolCall;

use crate::{
    CodeSource, Contracts, Receipt, Transaction, World,
    model::{CallResult, ChainModel, tokens::Tokens},
};

/// A world with all contracts, and the model that predicts their results.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Lockstep {
    pub world: World,
    pub model: ChainModel,
    pub contracts: Contracts,
}

impl Default for Lockstep {
    /// All ten contracts, from the bytecode that `ATR_CODE` selects.
    fn default() -> Self {
        let mut world = World::default();
        let contracts = Contracts::deploy(&mut world, &CodeSource::from_environment());
        Self::new(world, contracts)
    }
}

impl Lockstep {
    /// A world in which the contracts were deployed and nothing else has happened.
    #[must_use]
    pub fn new(world: World, contracts: Contracts) -> Self {
        let mut model = ChainModel::new(&contracts);
        model.environment.time = world.time();
        model.environment.chain_id = world.chain_id();
        Self {
            world,
            model,
            contracts,
        }
    }

    /// Registers an open tool and returns its id.
    ///
    /// # Errors
    ///
    /// As [`Lockstep::call`].
    pub fn register_tool(&mut self, creator: Address) -> Result<U256, String> {
        self.call(creator, self.contracts.registry, &Self::registration())?;
        Ok(U256::from(self.model.registry.count()))
    }

    /// The call that [`Lockstep::register_tool`] makes.
    #[must_use]
    pub fn registration() -> registerToolCall {
        registerToolCall {
            metadataURI: "https://tools.example/.well-known/ai-tool/oracle.json".into(),
            manifestHash: keccak256("manifest"),
            accessPredicate: Address::ZERO,
        }
    }

    /// The tokens of the model. Tests keep them equal to those of the world.
    pub const fn tokens(&mut self) -> &mut Tokens {
        &mut self.model.environment.tokens
    }

    /// Sets the timestamp of both.
    pub fn set_time(&mut self, seconds: u64) {
        self.world.set_time(seconds);
        self.model.environment.time = seconds;
    }

    /// Sets the chain id of both.
    pub fn set_chain_id(&mut self, chain_id: u64) {
        self.world.set_chain_id(chain_id);
        self.model.environment.chain_id = chain_id;
    }

    /// Calls the registry or a predicate in the world and in the model.
    ///
    /// # Errors
    ///
    /// When outcome or logs differ, or on a [`Receipt::forbidden_change`].
    pub fn call<C: SolCall>(
        &mut self,
        from: Address,
        to: Address,
        call: &C,
    ) -> Result<Receipt, String> {
        self.send(&Transaction::call(from, to, call))
    }

    /// Sends a transaction in the world and in the model.
    ///
    /// # Errors
    ///
    /// As [`Lockstep::call`].
    pub fn send(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let to = transaction.to.expect("the model creates no contracts");
        let expected = self
            .model
            .call(transaction.from, to, transaction.value, &transaction.data);
        let receipt = self.world.simulate(transaction);
        if receipt.outcome != expected.outcome || receipt.logs != expected.logs {
            return Err(self.difference(transaction, &expected));
        }
        if let Some(change) = receipt.forbidden_change(to) {
            let change = self.world.names().replace_in(&format!("{change:?}"));
            let trace = self.world.trace(transaction);
            return Err(format!("forbidden state change: {change}\n{trace}"));
        }
        // Every change comes with a log: checked above.
        if !receipt.logs.is_empty() {
            self.world.send(transaction);
        }
        Ok(receipt)
    }

    /// Sends a transaction that may run out of gas. If [`ChainModel::shortage`] finds that it cannot, this is [`Lockstep::send`].
    /// Otherwise it may also fail as [`ChainModel::is_out_of_gas`] allows, without changing state.
    ///
    /// # Errors
    ///
    /// On any other result.
    pub fn send_with_limited_gas(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let shortage = self.model.shortage(transaction);
        if shortage.is_none() {
            return self.send(transaction);
        }
        let to = transaction.to.expect("the model creates no contracts");
        let receipt = self.world.simulate(transaction);
        let mut model = self.model.clone();
        let expected = model.call(transaction.from, to, transaction.value, &transaction.data);
        let is_expected = receipt.outcome == expected.outcome && receipt.logs == expected.logs;
        let is_out_of_gas = receipt.logs.is_empty()
            && receipt.forbidden_change(to).is_none()
            && self
                .model
                .is_out_of_gas(transaction, shortage, &expected.outcome, &receipt.outcome);
        if !is_expected && is_out_of_gas {
            return Ok(receipt);
        }
        self.send(transaction)
    }

    fn difference(&self, transaction: &Transaction, expected: &CallResult) -> String {
        let trace = self.world.trace(transaction);
        let (names, found) = (self.world.names(), trace.receipt());
        format!(
            "expected: {}\nfound: {}\n{trace}",
            names.outcome(&transaction.data, &expected.outcome, &expected.logs),
            names.outcome(&transaction.data, &found.outcome, &found.logs)
        )
    }
}
