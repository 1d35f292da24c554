//! Plays a step: what it comes to in the world and in the model.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use acceptance::form::Form;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{Term, getTermsCall},
    IAccessPredicate,
    IToolRegistry::{deregisterToolCall, setAccessPredicateCall, tryHasAccessCall},
    SubscriptionPredicate::getSubscriptionStatusCall,
};
use atr_harness::{Outcome, Receipt, Transaction, Twin, model::Answer};

use super::{
    data::Data,
    stage::Stage,
    step::{By, Step, Whom, pick},
};

/// The trait that tools ask for.
pub(crate) const TRAIT_KEY: B256 = B256::repeat_byte(7);

impl Stage<'_> {
    /// Plays a step on both sides, its call in this form; the error tells where they part.
    pub(crate) fn play(&mut self, step: &Step, form: &Form) -> Result<(), String> {
        self.form = form.clone();
        match step {
            Step::Register => {
                let next = U256::from(self.twin.model.registry.count() + 1);
                self.call(
                    By::Creator,
                    next,
                    self.cast.contracts.registry,
                    &Twin::registration(),
                )?;
            }
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
            } => {
                self.ask(*whom, *tool, *account, data)?;
            }
            Step::AskStatus { tool, account } => {
                let call = getSubscriptionStatusCall {
                    toolId: self.tool(*tool),
                    account: pick(*account, &self.cast.accounts()),
                };
                let to = self.cast.contracts.subscription;
                self.submit(Transaction::call(self.cast.nowhere, to, &call))?;
            }
            Step::AskRequirements { predicate, tool } => {
                let predicate = pick(*predicate, &self.cast.predicates());
                let question = self.question_of_requirements(predicate, self.tool(*tool));
                if let Some(question) = question {
                    self.submit(question)?;
                }
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

    fn ask(&mut self, whom: Whom, tool: u8, account: u8, data: &Data) -> Result<(), String> {
        let cast = self.cast;
        let (toolId, account) = (self.tool(tool), pick(account, &cast.accounts()));
        let registry = cast.contracts.registry;
        let predicate = match whom {
            Whom::Predicate(number) => pick(number, &cast.predicates()),
            _ => self.predicate_of(toolId),
        };
        let data = data.fitted_to(predicate, self);
        let data = data.bytes(self, toolId, account);
        let question = IAccessPredicate::hasAccessCall {
            toolId,
            account,
            data: data.clone(),
        };
        let transaction = match whom {
            Whom::Predicate(_) => Transaction::call(cast.nowhere, predicate, &question),
            // Of the same name, and folds "cannot tell" into a no.
            Whom::RegistryFolded => Transaction::call(cast.nowhere, registry, &question),
            Whom::Registry => {
                let call = tryHasAccessCall {
                    toolId,
                    account,
                    data,
                };
                Transaction::call(cast.nowhere, registry, &call)
            }
        };
        let receipt = self.submit(transaction)?;
        let names = cast.world.names();
        match whom {
            Whom::Predicate(_) if self.form.is_plain() => {
                self.reach
                    .note_answer(names, predicate, answer_of(&receipt));
            }
            Whom::Registry if self.form.damage.is_empty() => {
                self.reach.note_told(names, predicate, &receipt);
            }
            _ => {}
        }
        Ok(())
    }

    /// What a predicate says about an account that hands over what it should, asked with just the gas that is said to be enough.
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
        let transaction = self.sparing(transaction);
        let supply = self.note_supply(&transaction);
        let is_composite = predicate == self.cast.contracts.composite;
        if is_composite && supply.is_full() && self.terms(predicate, id).len() >= 3 {
            let what = "three terms or more must answer as the model";
            self.reach.note(what.into());
        }
        let receipt = self.twin.send_starved(&transaction)?;
        let names = self.cast.world.names();
        self.reach
            .note_answer(names, predicate, answer_of(&receipt));
        Ok(())
    }

    /// Lets a predicate decide about a tool, if there is one.
    pub(crate) fn gate(&mut self, id: U256, predicate: Address) -> Result<(), String> {
        let gate = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        self.set_up(id, self.cast.contracts.registry, &gate)
    }

    /// What the registry says about the same.
    pub(crate) fn ask_registry(&mut self, id: U256, account: Address) -> Result<(), String> {
        let predicate = self.predicate_of(id);
        let data = Data::Fitting(1).fitted_to(predicate, self);
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.bytes(self, id, account),
        };
        let registry = self.cast.contracts.registry;
        let transaction = self.sparing(Transaction::call(self.cast.nowhere, registry, &call));
        let receipt = self.twin.send_starved(&transaction)?;
        let names = self.cast.world.names();
        self.reach.note_told(names, predicate, &receipt);
        Ok(())
    }

    /// Asking what a predicate requires; none if that is, in the form of the step, a cycle of composites, where the model goes
    /// less deep.
    pub(crate) fn question_of_requirements(
        &mut self,
        predicate: Address,
        id: U256,
    ) -> Option<Transaction> {
        let (outer, inner) = (self.cast.contracts.composite, self.cast.inner);
        let call = IAccessPredicate::getRequirementsCall { toolId: id };
        let transaction = Transaction::call(self.cast.nowhere, predicate, &call);
        let shaped = self.form.shape(transaction.clone());
        let asked = shaped.data.get(4..36).map(U256::from_be_slice);
        let asked = asked.unwrap_or_default();
        let outer_holds_inner = self.has_term(outer, asked, inner);
        let inner_holds_outer = self.has_term(inner, asked, outer);
        if outer_holds_inner && inner_holds_outer {
            return None;
        }
        let is_nested =
            (predicate == outer && outer_holds_inner) || (predicate == inner && inner_holds_outer);
        if is_nested && self.form.damage.is_empty() {
            let told = match self.twin.model.supply(&shaped).terms_are_short {
                true => "may lack gas to be told",
                false => "must be told whole if there is gas",
            };
            self.reach.note(format!("a composite in another {told}"));
        }
        Some(transaction)
    }

    fn has_term(&mut self, composite: Address, id: U256, term: Address) -> bool {
        let terms = self.terms(composite, id);
        terms.iter().any(|found| found.predicate == term)
    }

    fn terms(&mut self, composite: Address, id: U256) -> Vec<Term> {
        let call = getTermsCall { toolId: id };
        self.twin.world.read(composite, &call)
    }

    /* PARTS */

    /// Who decides about a tool; zero if nobody does.
    fn predicate_of(&self, id: U256) -> Address {
        let found = self.twin.model.registry.tool(id);
        found.map_or(Address::ZERO, |tool| tool.predicate)
    }

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
        let receipt = self.submit(Transaction::call(from, to, call))?;
        if self.form.is_plain() {
            let names = self.cast.world.names();
            self.reach.note_call(names, to, &self.form, &receipt);
        }
        Ok(())
    }
}

/// What a predicate's own `hasAccess` came to.
pub(crate) fn answer_of(receipt: &Receipt) -> Answer {
    match &receipt.outcome {
        Outcome::Returned(bytes) => Answer::of_return(bytes),
        _ => Answer::Unknown,
    }
}
