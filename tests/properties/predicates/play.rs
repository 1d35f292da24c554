//! Plays a step: what it comes to in the world and in the model.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{getTermsCall, termGasCall},
    IAccessPredicate,
    IToolRegistry::{deregisterToolCall, hasAccessCall, setAccessPredicateCall, tryHasAccessCall},
    SubscriptionPredicate::getSubscriptionStatusCall,
};
use atr_harness::{Outcome, Receipt, Transaction, model::Answer};

use super::{
    data::Data,
    stage::Stage,
    step::{By, Step, Whom, pick},
};

/// With this a term can always put all its questions.
const GENEROUS_TERM_GAS: u64 = 75_000;

/// The trait that tools ask for.
pub(crate) const TRAIT_KEY: B256 = B256::repeat_byte(7);

impl Stage<'_> {
    /// Plays a step on both sides; the error tells where they part.
    pub(crate) fn play(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Register => self.register()?,
            Step::Deregister { tool, by } => {
                let toolId = self.tool(*tool);
                self.call(
                    *by,
                    toolId,
                    self.cast.contracts.registry,
                    &deregisterToolCall { toolId },
                )?;
            }
            Step::Gate {
                tool,
                predicate,
                by,
            } => {
                let toolId = self.tool(*tool);
                let mut choices = self.cast.predicates().to_vec();
                choices.extend([Address::ZERO, self.cast.nowhere, self.cast.coins[0]]);
                choices.push(self.cast.relics);
                let newPredicate = pick(*predicate, &choices);
                let call = setAccessPredicateCall {
                    toolId,
                    newPredicate,
                };
                self.call(*by, toolId, self.cast.contracts.registry, &call)?;
            }
            Step::Wait { seconds } => {
                let time = self.twin.world.time();
                self.twin.set_time(time + u64::from(*seconds));
            }
            Step::Voice { token, voice } => {
                let mut tokens = self.cast.tokens();
                tokens.push(self.cast.wallet);
                self.set_voice(pick(*token, &tokens), *voice);
            }
            Step::Ask {
                whom,
                tool,
                account,
                data,
                gas,
            } => {
                self.ask(*whom, *tool, *account, data, *gas)?;
            }
            Step::AskStatus { tool, account } => {
                let call = getSubscriptionStatusCall {
                    toolId: self.tool(*tool),
                    account: pick(*account, &self.cast.accounts()),
                };
                self.twin
                    .call(self.cast.nowhere, self.cast.contracts.subscription, &call)?;
            }
            Step::AskRequirements { predicate, tool } => {
                let predicate = pick(*predicate, &self.cast.predicates());
                self.ask_requirements(predicate, self.tool(*tool))?;
            }
            Step::SetCollections { .. }
            | Step::SetEditions { .. }
            | Step::SetBalance { .. }
            | Step::SetGating { .. }
            | Step::SetTrait { .. }
            | Step::SetList { .. }
            | Step::Compose { .. } => self.play_set_up(step)?,
            _ => self.move_token(step),
        }
        Ok(())
    }

    /* ASKING */

    fn ask(
        &mut self,
        whom: Whom,
        tool: u8,
        account: u8,
        data: &Data,
        gas: Option<u32>,
    ) -> Result<(), String> {
        let cast = self.cast;
        let (toolId, account) = (self.tool(tool), pick(account, &cast.accounts()));
        let registry = cast.contracts.registry;
        let predicate = match whom {
            Whom::Predicate(number) => pick(number, &cast.predicates()),
            _ => self
                .twin
                .model
                .registry
                .tool(toolId)
                .map_or(Address::ZERO, |tool| tool.predicate),
        };
        let data = data.fitted_to(predicate, self);
        let is_damaged = data.is_damaged_list();
        let data = data.bytes(self, toolId, account);
        let may_fail = gas.is_some() || is_damaged || self.is_tight(predicate, toolId);
        let transaction = match whom {
            Whom::Predicate(_) => {
                let call = IAccessPredicate::hasAccessCall {
                    toolId,
                    account,
                    data,
                };
                Transaction::call(cast.nowhere, predicate, &call)
            }
            // It folds "cannot tell" into a no, so only the other function can be held to anything.
            Whom::RegistryFolded if !may_fail => {
                let call = hasAccessCall {
                    toolId,
                    account,
                    data,
                };
                Transaction::call(cast.nowhere, registry, &call)
            }
            _ => {
                let call = tryHasAccessCall {
                    toolId,
                    account,
                    data,
                };
                Transaction::call(cast.nowhere, registry, &call)
            }
        };
        let least = transaction.least_gas();
        let transaction = match gas {
            Some(gas) => transaction.with_gas(least + u64::from(gas)),
            None => transaction,
        };
        let receipt = match may_fail {
            true => self.twin.send_starved(&transaction)?,
            false => self.twin.send(&transaction)?,
        };
        if let Whom::Predicate(_) = whom {
            *self
                .seen
                .entry((predicate, answer_of(&receipt)))
                .or_default() += 1;
        }
        Ok(())
    }

    /// What a predicate says about an account that hands over what it should.
    pub(crate) fn ask_directly(
        &mut self,
        predicate: Address,
        id: U256,
        account: Address,
    ) -> Result<(), String> {
        let data = Data::Fitting(1).fitted_to(predicate, self);
        let call = IAccessPredicate::hasAccessCall {
            toolId: id,
            account,
            data: data.bytes(self, id, account),
        };
        let transaction = Transaction::call(self.cast.nowhere, predicate, &call);
        let receipt = match self.is_tight(predicate, id) {
            true => self.twin.send_starved(&transaction)?,
            false => self.twin.send(&transaction)?,
        };
        *self
            .seen
            .entry((predicate, answer_of(&receipt)))
            .or_default() += 1;
        Ok(())
    }

    /// What a predicate requires, unless it is a cycle of composites: the model goes less deep.
    pub(crate) fn ask_requirements(&mut self, predicate: Address, id: U256) -> Result<(), String> {
        let (outer, inner) = (self.cast.contracts.composite, self.cast.inner);
        if self.has_term(outer, id, inner) && self.has_term(inner, id, outer) {
            return Ok(());
        }
        let call = IAccessPredicate::getRequirementsCall { toolId: id };
        self.twin
            .call(self.cast.nowhere, predicate, &call)
            .map(drop)
    }

    /// Whether a composite's terms may have too little gas for what they are set up to ask.
    fn is_tight(&mut self, predicate: Address, id: U256) -> bool {
        let (outer, inner) = (self.cast.contracts.composite, self.cast.inner);
        if predicate != outer && predicate != inner {
            return false;
        }
        let gas = self.twin.world.read(predicate, &termGasCall { toolId: id });
        let other = if predicate == outer { inner } else { outer };
        (!gas.is_zero() && gas < U256::from(GENEROUS_TERM_GAS))
            || self.has_term(predicate, id, other)
    }

    fn has_term(&mut self, composite: Address, id: U256, term: Address) -> bool {
        let terms = self
            .twin
            .world
            .read(composite, &getTermsCall { toolId: id });
        terms.iter().any(|found| found.predicate == term)
    }

    /* PARTS */

    /// A tool, live or removed, the first more often than another; now and then the one that comes next.
    pub(crate) fn tool(&self, number: u8) -> U256 {
        let count = self.twin.model.registry.count();
        let index = match number {
            0..170 => 0,
            170..245 => u64::from(number) % count,
            _ => count,
        };
        U256::from(1 + index)
    }

    /// Makes a call about a tool, as whoever is meant.
    pub(crate) fn call(
        &mut self,
        by: By,
        id: U256,
        to: Address,
        call: &impl SolCall,
    ) -> Result<(), String> {
        let from = match by {
            By::Creator => self.creator(id),
            By::OtherCreator => self.creator(id + U256::from(1)),
            By::Account(number) => pick(number, &self.cast.accounts()),
            By::Registry => self.cast.contracts.registry,
        };
        self.twin.send(&Transaction::call(from, to, call)).map(drop)
    }
}

/// What a predicate's own `hasAccess` came to.
pub(crate) fn answer_of(receipt: &Receipt) -> Answer {
    match &receipt.outcome {
        Outcome::Returned(bytes) => Answer::of_return(bytes),
        _ => Answer::Unknown,
    }
}
