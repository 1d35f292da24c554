//! Executes steps in the world and in the model.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use acceptance::variation::Variation;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{Term, getClausesCall},
    IAccessPredicate,
    IToolRegistry::{deregisterToolCall, setAccessPredicateCall, tryHasAccessCall},
    SubscriptionPredicate::getSubscriptionStatusCall,
};
use atr_harness::{Lockstep, Outcome, Receipt, Transaction, model::Access};

use super::{
    data::Data,
    fixture::Fixture,
    step::{AccessTarget, Caller, Step, pick},
};

/// The trait key of all trait configurations.
pub(crate) const TRAIT_KEY: B256 = B256::repeat_byte(7);

impl Fixture<'_> {
    /// Executes a step with a variation. The error is the difference.
    pub(crate) fn execute(&mut self, step: &Step, variation: &Variation) -> Result<(), String> {
        self.variation = variation.clone();
        match step {
            Step::Register => {
                let next = U256::from(self.lockstep.model.registry.count() + 1);
                self.call(
                    Caller::Creator,
                    next,
                    self.actors.contracts.registry,
                    &Lockstep::registration(),
                )?;
            }
            Step::Deregister { tool, by } => {
                let toolId = self.tool(*tool);
                self.call(
                    *by,
                    toolId,
                    self.actors.contracts.registry,
                    &deregisterToolCall { toolId },
                )?;
            }
            Step::SetAccessPredicate {
                tool,
                predicate,
                by,
            } => {
                let toolId = self.tool(*tool);
                let mut choices = self.actors.predicates().to_vec();
                choices.extend([Address::ZERO, self.actors.eoa, self.actors.erc20s[0]]);
                choices.push(self.actors.erc7496);
                let newPredicate = pick(*predicate, &choices);
                let call = setAccessPredicateCall {
                    toolId,
                    newPredicate,
                };
                self.call(*by, toolId, self.actors.contracts.registry, &call)?;
            }
            Step::AdvanceTime { seconds } => {
                let time = self.lockstep.world.time();
                self.lockstep.set_time(time + u64::from(*seconds));
            }
            Step::SetTokenBehavior { token, behavior } => {
                let mut tokens = self.actors.tokens();
                tokens.push(self.actors.wallet);
                self.set_behavior(pick(*token, &tokens), *behavior);
            }
            Step::CheckAccess {
                target,
                tool,
                account,
                data,
            } => {
                self.check(*target, *tool, *account, data)?;
            }
            Step::GetSubscriptionStatus { tool, account } => {
                let call = getSubscriptionStatusCall {
                    toolId: self.tool(*tool),
                    account: pick(*account, &self.actors.accounts()),
                };
                let to = self.actors.contracts.subscription;
                self.submit(Transaction::call(self.actors.eoa, to, &call))?;
            }
            Step::GetRequirements { predicate, tool } => {
                let predicate = pick(*predicate, &self.actors.predicates());
                let call = self.requirements_call(predicate, self.tool(*tool));
                if let Some(call) = call {
                    self.submit(call)?;
                }
            }
            Step::SetCollections { .. }
            | Step::SetCollectionTokens { .. }
            | Step::ConfigureErc20 { .. }
            | Step::ConfigureSubscription { .. }
            | Step::ConfigureTrait { .. }
            | Step::SetAllowlist { .. }
            | Step::SetProofStipend { .. }
            | Step::SetComposition { .. } => self.configure(step)?,
            _ => self.move_token(step),
        }
        Ok(())
    }

    /* ACCESS CHECKS */

    fn check(
        &mut self,
        target: AccessTarget,
        tool: u8,
        account: u8,
        data: &Data,
    ) -> Result<(), String> {
        let actors = self.actors;
        let (toolId, account) = (self.tool(tool), pick(account, &actors.accounts()));
        let registry = actors.contracts.registry;
        let predicate = match target {
            AccessTarget::Predicate(number) => pick(number, &actors.predicates()),
            _ => self.predicate_of(toolId),
        };
        let data = data.resolve_for(predicate, self);
        let data = data.bytes(self, toolId, account);
        let call = IAccessPredicate::hasAccessCall {
            toolId,
            account,
            data: data.clone(),
        };
        let transaction = match target {
            AccessTarget::Predicate(_) => Transaction::call(actors.eoa, predicate, &call),
            // The same function of the registry, where unknown is false.
            AccessTarget::HasAccess => Transaction::call(actors.eoa, registry, &call),
            AccessTarget::TryHasAccess => {
                let call = tryHasAccessCall {
                    toolId,
                    account,
                    data,
                };
                Transaction::call(actors.eoa, registry, &call)
            }
        };
        let receipt = self.submit(transaction)?;
        let names = actors.world.names();
        match target {
            AccessTarget::Predicate(_) if self.variation.is_plain() => {
                self.reach
                    .record_access(names, predicate, access_of(&receipt));
            }
            AccessTarget::TryHasAccess if self.variation.mutations.is_empty() => {
                self.reach.record_registry(names, predicate, &receipt);
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks access directly, with valid data and the gas of the ceiling.
    pub(crate) fn check_predicate(
        &mut self,
        predicate: Address,
        id: U256,
        account: Address,
    ) -> Result<(), String> {
        let data = Data::Valid(1).resolve_for(predicate, self);
        let call = IAccessPredicate::hasAccessCall {
            toolId: id,
            account,
            data: data.bytes(self, id, account),
        };
        let transaction = Transaction::call(self.actors.eoa, predicate, &call);
        let transaction = self.at_ceiling(transaction);
        let shortage = self.record_shortage(&transaction);
        let is_composite = predicate == self.actors.contracts.composite;
        if is_composite && shortage.is_none() && self.terms(predicate, id).len() >= 3 {
            self.reach
                .record("composite of three terms must match".into());
            let call = getClausesCall { toolId: id };
            if self.lockstep.world.read(predicate, &call).len() < 3 {
                self.reach
                    .record("composite with clauses must match".into());
            }
        }
        let receipt = self.send(&transaction)?;
        let names = self.actors.world.names();
        self.reach
            .record_access(names, predicate, access_of(&receipt));
        Ok(())
    }

    /// Sets the predicate of a tool.
    pub(crate) fn set_predicate(&mut self, id: U256, predicate: Address) -> Result<(), String> {
        let call = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        self.call_as_creator(id, self.actors.contracts.registry, &call)
    }

    /// Checks access through the registry, with valid data and the gas of the ceiling.
    pub(crate) fn check_registry(&mut self, id: U256, account: Address) -> Result<(), String> {
        let predicate = self.predicate_of(id);
        let data = Data::Valid(1).resolve_for(predicate, self);
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.bytes(self, id, account),
        };
        let registry = self.actors.contracts.registry;
        let transaction = self.at_ceiling(Transaction::call(self.actors.eoa, registry, &call));
        let receipt = self.send(&transaction)?;
        let names = self.actors.world.names();
        self.reach.record_registry(names, predicate, &receipt);
        Ok(())
    }

    /// A call of `getRequirements`; none for a cycle of composites, where the model stops at a lower depth.
    pub(crate) fn requirements_call(
        &mut self,
        predicate: Address,
        id: U256,
    ) -> Option<Transaction> {
        let (outer, inner) = (self.actors.contracts.composite, self.actors.inner);
        let call = IAccessPredicate::getRequirementsCall { toolId: id };
        let transaction = Transaction::call(self.actors.eoa, predicate, &call);
        let varied = self.variation.apply(transaction.clone());
        let id = varied.data.get(4..36).map(U256::from_be_slice);
        let id = id.unwrap_or_default();
        let outer_has_inner = self.has_term(outer, id, inner);
        let inner_has_outer = self.has_term(inner, id, outer);
        if outer_has_inner && inner_has_outer {
            return None;
        }
        let is_nested =
            (predicate == outer && outer_has_inner) || (predicate == inner && inner_has_outer);
        if is_nested && self.variation.mutations.is_empty() {
            let expected = match self.lockstep.model.shortage(&varied).of_stipend {
                true => "may be unknown",
                false => "must be described",
            };
            self.reach.record(format!("nested composite {expected}"));
        }
        Some(transaction)
    }

    fn has_term(&mut self, composite: Address, id: U256, term: Address) -> bool {
        let terms = self.terms(composite, id);
        terms.iter().any(|found| found.predicate == term)
    }

    fn terms(&mut self, composite: Address, id: U256) -> Vec<Term> {
        let call = getClausesCall { toolId: id };
        self.lockstep.world.read(composite, &call).concat()
    }

    /* HELPERS */

    /// The predicate of a tool; zero if there is none.
    fn predicate_of(&self, id: U256) -> Address {
        let found = self.lockstep.model.registry.tool(id);
        found.map_or(Address::ZERO, |tool| tool.predicate)
    }

    /// A tool, most often the first; sometimes the next unused id.
    pub(crate) fn tool(&self, number: u8) -> U256 {
        let before = self.actors.deregistered as u64;
        let count = self.lockstep.model.registry.count() - before;
        let index = match number {
            0..170 => 0,
            170..245 => u64::from(number) % count,
            _ => count,
        };
        U256::from(1 + before + index)
    }

    /// Makes a call about a tool.
    pub(crate) fn call(
        &mut self,
        by: Caller,
        id: U256,
        to: Address,
        call: &impl SolCall,
    ) -> Result<(), String> {
        let from = match by {
            Caller::Creator => self.creator(id),
            Caller::OtherCreator => self.creator(id + U256::from(1)),
            Caller::Account(number) => pick(number, &self.actors.accounts()),
            Caller::Registry => self.actors.contracts.registry,
        };
        let receipt = self.submit(Transaction::call(from, to, call))?;
        if self.variation.is_plain() {
            let names = self.actors.world.names();
            self.reach.record_call(names, to, &self.variation, &receipt);
        }
        Ok(())
    }
}

/// The result of a predicate's `hasAccess`.
pub(crate) fn access_of(receipt: &Receipt) -> Access {
    match &receipt.outcome {
        Outcome::Returned(bytes) => Access::from_return_data(bytes),
        _ => Access::Unknown,
    }
}
