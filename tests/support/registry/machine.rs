//! Contract and model, step by step.

use std::{collections::BTreeMap, sync::OnceLock};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IToolRegistry::{
        deregisterToolCall, getToolConfigCall, hasAccessCall, nameCall, registerToolCall,
        setAccessPredicateCall, toolCountCall, tryHasAccessCall, updateToolMetadataCall,
        versionCall,
    },
    ToolRegistry::supportsInterfaceCall,
};
use atr_harness::{
    Change, CodeSource, Fork, Receipt, Transaction, World,
    model::{self, Need, Reply},
};

use crate::storage::wrong_slot;

use super::{Act, Caller, Cast, NewPredicate, NewUri, Scenario, Step, ToolPick};

/// A world as it is before the first step. Assembled once per fork.
#[derive(Clone, Debug)]
pub struct Stage {
    world: World,
    cast: Cast,
}

impl Stage {
    /// The stage of a fork, with the contracts `ATR_CODE` names.
    #[must_use]
    pub fn of(fork: Fork) -> Self {
        thread_local! {
            static STAGES: OnceLock<Vec<Stage>> = const { OnceLock::new() };
        }
        let assemble = |fork: Fork| {
            let (world, cast) = Cast::assemble(fork, &CodeSource::from_environment());
            Self { world, cast }
        };
        STAGES.with(|stages| {
            stages.get_or_init(|| Fork::ALL.map(assemble).to_vec())[fork as usize].clone()
        })
    }
}

/// The registry and its model, side by side.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The chain with the contract.
    pub world: World,
    /// Who takes part, and what the predicates say.
    pub cast: Cast,
    /// What the registry must do.
    pub model: model::Registry,
    /// How often which class of step was taken: what was done, in which form, and how it ended.
    pub seen: BTreeMap<String, u32>,
}

/// Contract and model do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which step showed it, counted from 0; the number of steps if it was seen at the end.
    pub step: usize,
    /// What was expected and what was found.
    pub what: String,
}

impl Machine {
    /// Nothing is registered yet.
    #[must_use]
    pub fn new(fork: Fork) -> Self {
        let Stage { world, cast } = Stage::of(fork);
        Self::on(world, cast)
    }

    /// Nothing is registered yet in this world either.
    #[must_use]
    pub fn on(world: World, cast: Cast) -> Self {
        let model = model::Registry::new(cast.contracts.registry);
        Self {
            world,
            cast,
            model,
            seen: BTreeMap::new(),
        }
    }

    /// Runs a scenario, holding the registry against the model at every step, all of its storage included, and asking it
    /// about every tool at the end.
    ///
    /// # Errors
    ///
    /// What does not agree, with the trace of the call that showed it.
    pub fn run(scenario: &Scenario) -> Result<(), String> {
        let mut machine = Self::new(scenario.fork);
        let ran = machine.take_all(&scenario.steps);
        ran.map_err(|Mismatch { step, what }| {
            let before = Self::after(&scenario.steps[..step], scenario.fork);
            let mut told = format!("step {}: {what}", step + 1);
            if let Some(failing) = scenario.steps.get(step) {
                told.push_str(&before.trace(failing));
            }
            before.world.names().within(&told)
        })
    }

    /// A machine that has taken these steps, whatever came of them.
    #[must_use]
    pub fn after(steps: &[Step], fork: Fork) -> Self {
        let mut machine = Self::new(fork);
        for step in steps {
            let _ = machine.take(step);
        }
        machine
    }

    /// What a step would do now, call by call, on lines of its own; empty for steps that are no calls.
    #[must_use]
    pub fn trace(&self, step: &Step) -> String {
        let transaction = self.transaction(step);
        transaction.map_or_else(String::new, |transaction| {
            format!("\n{}", self.world.trace(&transaction))
        })
    }

    /// Takes steps, comparing all of the storage after each, and asks about every tool at the end.
    ///
    /// # Errors
    ///
    /// The first thing that does not agree.
    pub fn take_all(&mut self, steps: &[Step]) -> Result<(), Mismatch> {
        for (index, step) in steps.iter().enumerate() {
            self.take(step)
                .and_then(|()| self.compare_storage())
                .map_err(|what| Mismatch { step: index, what })?;
        }
        self.sweep().map_err(|what| Mismatch {
            step: steps.len(),
            what,
        })
    }

    /// Takes one step on both sides and compares what comes of it.
    ///
    /// # Errors
    ///
    /// What was expected and what was found.
    pub fn take(&mut self, step: &Step) -> Result<(), String> {
        match step.act {
            Act::Rescript {
                predicate,
                question,
                script,
            } => {
                let index = predicate % self.cast.scripted.len();
                self.cast
                    .script(&mut self.world, index, question.id(), script);
                return Ok(());
            }
            Act::SetAlive { predicate, alive } => {
                let index = predicate % self.cast.scripted.len();
                self.cast.set_alive(&mut self.world, index, alive);
                return Ok(());
            }
            _ => {}
        }
        let Some(transaction) = self.transaction(step) else {
            return Ok(());
        };
        let before = step.form.gas.map(|_| self.model.clone());
        let expected = self.model.call(
            transaction.from,
            transaction.value,
            &transaction.data,
            &self.cast,
        );
        let receipt = self.world.send(&transaction);
        let agrees = agree(&expected, &receipt);
        if !agrees {
            let difference = self.difference(&transaction, &expected, &receipt);
            // For want of gas nothing happens at all.
            self.model = before.ok_or_else(|| difference.clone())?;
            let may_be = !self.has_enough_gas(&transaction)
                && receipt.logs.is_empty()
                && self.model.may_lack_gas(
                    &transaction.data,
                    &expected.outcome,
                    &receipt.outcome,
                    &self.cast,
                );
            if !may_be {
                return Err(difference);
            }
        }
        self.refuse_changes(&receipt)?;
        self.note(step, &transaction, &receipt, agrees);
        Ok(())
    }

    /// All of the registry's storage is what the model lays out.
    ///
    /// # Errors
    ///
    /// The first slot that differs.
    pub fn compare_storage(&self) -> Result<(), String> {
        let expected = model::layout::storage(&self.model);
        let found = self.world.storage(self.cast.contracts.registry);
        let Some(wrong) = wrong_slot(&expected, &found) else {
            return Ok(());
        };
        let (tool, offset) = (wrong.slot >> 7, wrong.slot & U256::from(127));
        Err(format!("{wrong} (tool {tool}, offset {offset})"))
    }

    /// Asks about every id there is, the one before and the one after.
    ///
    /// # Errors
    ///
    /// The first answer that is not the model's, or not one of the three.
    pub fn sweep(&mut self) -> Result<(), String> {
        let account = self.cast.actors[0];
        let data = Bytes::from_static(b"sweep");
        for id in 0..=self.model.count() + 1 {
            let id = U256::from(id);
            let try_it = tryHasAccessCall {
                toolId: id,
                account,
                data: data.clone(),
            };
            let plainly = hasAccessCall {
                toolId: id,
                account,
                data: data.clone(),
            };
            self.ask(&getToolConfigCall { toolId: id })?;
            let answer = self.ask(&try_it)?.returned::<tryHasAccessCall>();
            let yes = self.ask(&plainly)?.returned::<hasAccessCall>();
            if let (Some(answer), Some(yes)) = (answer, yes) {
                let wrong = if answer.granted && !answer.ok {
                    "granted without an answer"
                } else if yes != (answer.ok && answer.granted) {
                    "hasAccess is not ok && granted"
                } else {
                    continue;
                };
                let question = Transaction::call(account, self.cast.contracts.registry, &try_it);
                let trace = self.world.trace(&question);
                return Err(format!("tool {id}: {wrong}\n{trace}"));
            }
        }
        Ok(())
    }

    /// Asks contract and model the same.
    ///
    /// # Errors
    ///
    /// When they do not agree.
    pub fn ask(&mut self, call: &impl SolCall) -> Result<Receipt, String> {
        let registry = self.cast.contracts.registry;
        let transaction = Transaction::call(self.cast.actors[0], registry, call);
        let expected =
            self.model
                .clone()
                .call(transaction.from, U256::ZERO, &transaction.data, &self.cast);
        let receipt = self.world.try_out(&transaction);
        let agreed = match agree(&expected, &receipt) {
            true => self.refuse_changes(&receipt),
            false => Err(self.difference(&transaction, &expected, &receipt)),
        };
        match agreed {
            Ok(()) => Ok(receipt),
            Err(what) => Err(format!("asked {what}\n{}", self.world.trace(&transaction))),
        }
    }

    /* RESOLVING */

    /// The transaction a step comes to now; none for steps that are none.
    #[must_use]
    pub fn transaction(&self, step: &Step) -> Option<Transaction> {
        let (from, data) = self.call(&step.act)?;
        let plain = Transaction::raw(from, self.cast.contracts.registry, data);
        Some(step.form.shape(plain))
    }

    pub(super) fn call(&self, act: &Act) -> Option<(Address, Vec<u8>)> {
        let actors = &self.cast.actors;
        Some(match act {
            Act::Register {
                by,
                uri,
                hash,
                predicate,
            } => {
                let predicate = self.cast.predicates[predicate % self.cast.predicates.len()];
                let data = with_uri(
                    registerToolCall {
                        metadataURI: String::new(),
                        manifestHash: *hash,
                        accessPredicate: predicate,
                    }
                    .abi_encode(),
                    &uri.0,
                );
                (actors[by % actors.len()], data)
            }
            Act::Update {
                tool,
                by,
                uri,
                hash,
            } => {
                let id = self.id(*tool);
                let old = self.model.tool(id).ok();
                let old_uri = old.map(|tool| tool.uri.clone()).unwrap_or_default();
                let uri = match uri {
                    NewUri::Same => old_uri,
                    NewUri::Fresh(uri) => uri.0.clone(),
                    NewUri::Longer(more) => [old_uri.as_slice(), more].concat(),
                    NewUri::Cut(at) => old_uri[..at % (old_uri.len() + 1)].to_vec(),
                };
                let hash = hash.or(old.map(|tool| tool.hash)).unwrap_or_default();
                let data = updateToolMetadataCall {
                    toolId: id,
                    newURI: String::new(),
                    newHash: hash,
                };
                (self.caller(*by, id), with_uri(data.abi_encode(), &uri))
            }
            Act::SetPredicate {
                tool,
                by,
                predicate,
            } => {
                let id = self.id(*tool);
                let old = self.model.tool(id).map(|tool| tool.predicate);
                let new = match predicate {
                    NewPredicate::Same => old.unwrap_or_default(),
                    NewPredicate::Of(index) => {
                        self.cast.predicates[index % self.cast.predicates.len()]
                    }
                };
                let data = setAccessPredicateCall {
                    toolId: id,
                    newPredicate: new,
                };
                (self.caller(*by, id), data.abi_encode())
            }
            Act::Deregister { tool, by } => {
                let id = self.id(*tool);
                (
                    self.caller(*by, id),
                    deregisterToolCall { toolId: id }.abi_encode(),
                )
            }
            Act::ReadConfig { tool } => {
                let data = getToolConfigCall {
                    toolId: self.id(*tool),
                };
                (actors[0], data.abi_encode())
            }
            Act::Ask {
                tool,
                account,
                data,
                plainly,
            } => {
                let (id, account) = (self.id(*tool), actors[account % actors.len()]);
                let data = data.clone();
                let call = if *plainly {
                    hasAccessCall {
                        toolId: id,
                        account,
                        data,
                    }
                    .abi_encode()
                } else {
                    tryHasAccessCall {
                        toolId: id,
                        account,
                        data,
                    }
                    .abi_encode()
                };
                (actors[0], call)
            }
            Act::ReadConstant { which, interface } => {
                let call = match which % 4 {
                    0 => toolCountCall {}.abi_encode(),
                    1 => nameCall {}.abi_encode(),
                    2 => versionCall {}.abi_encode(),
                    _ => supportsInterfaceCall {
                        interfaceId: *interface,
                    }
                    .abi_encode(),
                };
                (actors[0], call)
            }
            Act::Rescript { .. } | Act::SetAlive { .. } => return None,
        })
    }

    pub(super) fn id(&self, pick: ToolPick) -> U256 {
        let existing = |pick: usize| {
            let count = self.model.count().max(1);
            U256::from(1 + pick as u64 % count)
        };
        match pick {
            ToolPick::Existing(pick) => existing(pick),
            ToolPick::Next(behind) => U256::from(self.model.count() + behind),
            ToolPick::Aliased(pick, on_top) => existing(pick) | on_top,
            ToolPick::Any(id) => id,
        }
    }

    fn caller(&self, caller: Caller, id: U256) -> Address {
        let tool = self.model.tool(id).ok();
        let actors = &self.cast.actors;
        match caller {
            Caller::Creator => tool.map_or(actors[0], |tool| tool.creator),
            Caller::Actor(index) => actors[index % actors.len()],
            Caller::Predicate => tool.map_or(actors[1], |tool| tool.predicate),
        }
    }

    /* JUDGING */

    /// Whether a call has so much gas that it must do what it does with plenty, whatever the predicate is.
    pub(super) fn has_enough_gas(&self, transaction: &Transaction) -> bool {
        let of_predicate = |_, _: &[u8]| Need::of(model::Registry::PREDICATE_GAS_CAP);
        let need = self.model.gas_needed(&transaction.data, of_predicate);
        need.is_met_by(transaction.gas_for_code())
    }

    fn difference(&self, transaction: &Transaction, expected: &Reply, found: &Receipt) -> String {
        let (names, data) = (self.world.names(), &transaction.data);
        format!(
            "{}\n  the model says: {}\n  the registry: {}",
            names.call(data),
            names.end(data, &expected.outcome, &expected.logs),
            names.end(data, &found.outcome, &found.logs)
        )
    }

    /// Nothing changes but the registry's storage, and that never without a log.
    fn refuse_changes(&self, receipt: &Receipt) -> Result<(), String> {
        let created = |change: &&Change| matches!(change, Change::Created(_));
        let created = receipt.changes.iter().find(created).copied();
        let forbidden = receipt.forbidden_change(self.cast.contracts.registry);
        let forbidden = created.or(forbidden);
        forbidden.map_or(Ok(()), |change| {
            Err(format!("changed what it must not: {change:?}"))
        })
    }
}

fn agree(expected: &Reply, receipt: &Receipt) -> bool {
    expected.outcome == receipt.outcome && expected.logs == receipt.logs
}

/// Calldata whose one string, encoded empty at its end, is this URI: text or not.
pub(super) fn with_uri(mut data: Vec<u8>, uri: &[u8]) -> Vec<u8> {
    let length = data.len() - 32;
    data[length..].copy_from_slice(&U256::from(uri.len()).to_be_bytes::<32>());
    data.extend_from_slice(uri);
    data.resize(length + 32 + uri.len().div_ceil(32) * 32, 0);
    data
}
