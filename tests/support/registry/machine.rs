//! Executes steps on the contract and on the model.

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
    model::{self, CallResult, gas::registry_ceiling},
};

use crate::{gas::GasUse, storage::wrong_slot};

use super::{Action, Actors, Caller, NewPredicate, NewUri, Scenario, Step, ToolPick};

/// A world before the first step. Deployed once per fork and thread.
#[derive(Clone, Debug)]
pub struct Fixture {
    world: World,
    actors: Actors,
}

impl Fixture {
    /// The fixture of a fork, with the bytecode that `ATR_CODE` selects.
    #[must_use]
    pub fn new(fork: Fork) -> Self {
        thread_local! {
            static FIXTURES: OnceLock<Vec<Fixture>> = const { OnceLock::new() };
        }
        let deploy = |fork: Fork| {
            let (world, actors) = Actors::deploy(fork, &CodeSource::from_environment());
            Self { world, actors }
        };
        FIXTURES.with(|fixtures| {
            fixtures.get_or_init(|| Fork::ALL.map(deploy).to_vec())[fork as usize].clone()
        })
    }
}

/// The registry and its model.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Machine {
    pub world: World,
    pub actors: Actors,
    pub model: model::Registry,
    /// The number of calls by action, variation and outcome.
    pub seen: BTreeMap<String, u32>,
    /// The use of the gas ceilings.
    pub gas_use: GasUse,
}

/// A difference between contract and model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The index of the step; the number of steps for the checks at the end.
    pub step: usize,
    /// Expected and found.
    pub difference: String,
}

impl Machine {
    /// A machine without tools.
    #[must_use]
    pub fn new(fork: Fork) -> Self {
        let Fixture { world, actors } = Fixture::new(fork);
        Self::in_world(world, actors)
    }

    /// A machine without tools in a given world.
    #[must_use]
    pub fn in_world(world: World, actors: Actors) -> Self {
        let model = model::Registry::new(actors.contracts.registry);
        Self {
            world,
            actors,
            model,
            seen: BTreeMap::new(),
            gas_use: GasUse::default(),
        }
    }

    /// Runs a scenario. Compares outcome, logs and all storage after every step, and reads every tool at the end.
    ///
    /// # Errors
    ///
    /// The first difference, with the trace of the call.
    pub fn run(scenario: &Scenario) -> Result<(), String> {
        let mut machine = Self::new(scenario.fork);
        let ran = machine.take_all(&scenario.steps);
        ran.map_err(|Mismatch { step, difference }| {
            let before = Self::after(&scenario.steps[..step], scenario.fork);
            let mut text = format!("step {}: {difference}", step + 1);
            if let Some(failing) = scenario.steps.get(step) {
                text.push_str(&before.trace(failing));
            }
            before.world.names().replace_in(&text)
        })
    }

    /// A machine after these steps, ignoring differences.
    #[must_use]
    pub fn after(steps: &[Step], fork: Fork) -> Self {
        let mut machine = Self::new(fork);
        for step in steps {
            let _ = machine.take(step);
        }
        machine
    }

    /// The call trace of a step in the present state; empty for steps that are not calls.
    #[must_use]
    pub fn trace(&self, step: &Step) -> String {
        let transaction = self.transaction(step);
        transaction.map_or_else(String::new, |transaction| {
            format!("\n{}", self.world.trace(&transaction))
        })
    }

    /// Takes all steps, compares all storage after each, and reads every tool at the end.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn take_all(&mut self, steps: &[Step]) -> Result<(), Mismatch> {
        for (index, step) in steps.iter().enumerate() {
            self.take(step)
                .and_then(|()| self.compare_storage())
                .map_err(|difference| Mismatch {
                    step: index,
                    difference,
                })?;
        }
        self.read_all().map_err(|difference| Mismatch {
            step: steps.len(),
            difference,
        })
    }

    /// Takes one step on contract and model and compares the results.
    ///
    /// # Errors
    ///
    /// The difference.
    pub fn take(&mut self, step: &Step) -> Result<(), String> {
        match step.action {
            Action::SetScript {
                predicate,
                call,
                script,
            } => {
                let index = predicate % self.actors.scripted.len();
                self.actors
                    .script(&mut self.world, index, call.key(), script);
                return Ok(());
            }
            Action::SetCode {
                predicate,
                has_code,
            } => {
                let index = predicate % self.actors.scripted.len();
                self.actors.set_code(&mut self.world, index, has_code);
                return Ok(());
            }
            _ => {}
        }
        let Some(transaction) = self.transaction(step) else {
            return Ok(());
        };
        let before = step.variation.gas.map(|_| self.model.clone());
        let expected = self.model.call(
            transaction.from,
            transaction.value,
            &transaction.data,
            &self.actors,
        );
        let receipt = self.world.send(&transaction);
        let agrees = agree(&expected, &receipt);
        if !agrees {
            let difference = self.difference(&transaction, &expected, &receipt);
            // A call that runs out of gas changes nothing.
            self.model = before.ok_or_else(|| difference.clone())?;
            let is_out_of_gas = !self.has_enough_gas(&transaction)
                && receipt.logs.is_empty()
                && self.model.is_out_of_gas(
                    &transaction.data,
                    &expected.outcome,
                    &receipt.outcome,
                    &self.actors,
                );
            if !is_out_of_gas {
                return Err(difference);
            }
        }
        if agrees && let Some(ceiling) = registry_ceiling(&transaction.data) {
            self.gas_use.record(ceiling, receipt.gas.execution);
        }
        self.check_changes(&receipt)?;
        self.count_call(step, &transaction, &receipt, agrees);
        Ok(())
    }

    /// Compares all storage of the registry with the model's layout.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare_storage(&self) -> Result<(), String> {
        let expected = model::layout::storage(&self.model);
        let found = self.world.storage(self.actors.contracts.registry);
        let Some(wrong) = wrong_slot(&expected, &found) else {
            return Ok(());
        };
        let (tool, offset) = (wrong.slot >> 7, wrong.slot & U256::from(127));
        Err(format!("{wrong} (tool {tool}, offset {offset})"))
    }

    /// Reads every tool, and the ids before the first and after the last.
    ///
    /// # Errors
    ///
    /// The first difference, and a pair that is not an outcome.
    pub fn read_all(&mut self) -> Result<(), String> {
        let account = self.actors.accounts[0];
        let data = Bytes::from_static(b"data");
        for id in 0..=self.model.count() + 1 {
            let id = U256::from(id);
            let try_has_access = tryHasAccessCall {
                toolId: id,
                account,
                data: data.clone(),
            };
            let has_access = hasAccessCall {
                toolId: id,
                account,
                data: data.clone(),
            };
            self.read(&getToolConfigCall { toolId: id })?;
            let pair = self.read(&try_has_access)?.returned::<tryHasAccessCall>();
            let granted = self.read(&has_access)?.returned::<hasAccessCall>();
            if let (Some(pair), Some(granted)) = (pair, granted) {
                let wrong = if pair.granted && !pair.ok {
                    "granted without ok"
                } else if granted != (pair.ok && pair.granted) {
                    "hasAccess is not ok && granted"
                } else {
                    continue;
                };
                let registry = self.actors.contracts.registry;
                let transaction = Transaction::call(account, registry, &try_has_access);
                let trace = self.world.trace(&transaction);
                return Err(format!("tool {id}: {wrong}\n{trace}"));
            }
        }
        Ok(())
    }

    /// Makes a view call on contract and model.
    ///
    /// # Errors
    ///
    /// The difference.
    pub fn read(&mut self, call: &impl SolCall) -> Result<Receipt, String> {
        let registry = self.actors.contracts.registry;
        let transaction = Transaction::call(self.actors.accounts[0], registry, call);
        let expected = self.model.clone().call(
            transaction.from,
            U256::ZERO,
            &transaction.data,
            &self.actors,
        );
        let receipt = self.world.simulate(&transaction);
        let agreed = match agree(&expected, &receipt) {
            true => self.check_changes(&receipt),
            false => Err(self.difference(&transaction, &expected, &receipt)),
        };
        match agreed {
            Ok(()) => Ok(receipt),
            Err(difference) => {
                let trace = self.world.trace(&transaction);
                Err(format!("{difference}\n{trace}"))
            }
        }
    }

    /* CALLS */

    /// The transaction of a step in the present state; none for steps that are not calls.
    #[must_use]
    pub fn transaction(&self, step: &Step) -> Option<Transaction> {
        let (from, data) = self.call(&step.action)?;
        let plain = Transaction::raw(from, self.actors.contracts.registry, data);
        Some(step.variation.apply(plain))
    }

    pub(super) fn call(&self, action: &Action) -> Option<(Address, Vec<u8>)> {
        let accounts = &self.actors.accounts;
        Some(match action {
            Action::Register {
                by,
                uri,
                hash,
                predicate,
            } => {
                let predicate = self.actors.predicates[predicate % self.actors.predicates.len()];
                let data = with_uri(
                    registerToolCall {
                        metadataURI: String::new(),
                        manifestHash: *hash,
                        accessPredicate: predicate,
                    }
                    .abi_encode(),
                    &uri.0,
                );
                (accounts[by % accounts.len()], data)
            }
            Action::Update {
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
                    NewUri::Other(uri) => uri.0.clone(),
                    NewUri::Extended(more) => [old_uri.as_slice(), more].concat(),
                    NewUri::Truncated(at) => old_uri[..at % (old_uri.len() + 1)].to_vec(),
                };
                let hash = hash.or(old.map(|tool| tool.hash)).unwrap_or_default();
                let data = updateToolMetadataCall {
                    toolId: id,
                    newURI: String::new(),
                    newHash: hash,
                };
                (self.caller(*by, id), with_uri(data.abi_encode(), &uri))
            }
            Action::SetPredicate {
                tool,
                by,
                predicate,
            } => {
                let id = self.id(*tool);
                let old = self.model.tool(id).map(|tool| tool.predicate);
                let new = match predicate {
                    NewPredicate::Same => old.unwrap_or_default(),
                    NewPredicate::Index(index) => {
                        self.actors.predicates[index % self.actors.predicates.len()]
                    }
                };
                let data = setAccessPredicateCall {
                    toolId: id,
                    newPredicate: new,
                };
                (self.caller(*by, id), data.abi_encode())
            }
            Action::Deregister { tool, by } => {
                let id = self.id(*tool);
                (
                    self.caller(*by, id),
                    deregisterToolCall { toolId: id }.abi_encode(),
                )
            }
            Action::ReadConfig { tool } => {
                let data = getToolConfigCall {
                    toolId: self.id(*tool),
                };
                (accounts[0], data.abi_encode())
            }
            Action::CheckAccess {
                tool,
                account,
                data,
                is_try,
            } => {
                let (id, account) = (self.id(*tool), accounts[account % accounts.len()]);
                let data = data.clone();
                let call = if *is_try {
                    tryHasAccessCall {
                        toolId: id,
                        account,
                        data,
                    }
                    .abi_encode()
                } else {
                    hasAccessCall {
                        toolId: id,
                        account,
                        data,
                    }
                    .abi_encode()
                };
                (accounts[0], call)
            }
            Action::ReadConstant { index, interface } => {
                let call = match index % 4 {
                    0 => toolCountCall {}.abi_encode(),
                    1 => nameCall {}.abi_encode(),
                    2 => versionCall {}.abi_encode(),
                    _ => supportsInterfaceCall {
                        interfaceId: *interface,
                    }
                    .abi_encode(),
                };
                (accounts[0], call)
            }
            Action::SetScript { .. } | Action::SetCode { .. } => return None,
        })
    }

    pub(super) fn id(&self, pick: ToolPick) -> U256 {
        let existing = |pick: usize| {
            let count = self.model.count().max(1);
            U256::from(1 + pick as u64 % count)
        };
        match pick {
            ToolPick::Existing(pick) => existing(pick),
            ToolPick::AfterLast(number) => U256::from(self.model.count() + number),
            ToolPick::Aliased(pick, bits) => existing(pick) | bits,
            ToolPick::Any(id) => id,
        }
    }

    fn caller(&self, caller: Caller, id: U256) -> Address {
        let tool = self.model.tool(id).ok();
        let accounts = &self.actors.accounts;
        match caller {
            Caller::Creator => tool.map_or(accounts[0], |tool| tool.creator),
            Caller::Account(index) => accounts[index % accounts.len()],
            Caller::Predicate => tool.map_or(accounts[1], |tool| tool.predicate),
        }
    }

    /* CHECKS */

    /// Whether a call has the gas of its ceiling.
    pub(super) fn has_enough_gas(&self, transaction: &Transaction) -> bool {
        let ceiling = registry_ceiling(&transaction.data);
        ceiling.is_some_and(|ceiling| ceiling.gas <= transaction.execution_gas())
    }

    fn difference(
        &self,
        transaction: &Transaction,
        expected: &CallResult,
        found: &Receipt,
    ) -> String {
        let (names, data) = (self.world.names(), &transaction.data);
        format!(
            "{}\n  expected: {}\n  found: {}",
            names.call(data),
            names.outcome(data, &expected.outcome, &expected.logs),
            names.outcome(data, &found.outcome, &found.logs)
        )
    }

    /// Only the registry's storage may change, and only with a log.
    fn check_changes(&self, receipt: &Receipt) -> Result<(), String> {
        let created = |change: &&Change| matches!(change, Change::Created(_));
        let created = receipt.changes.iter().find(created).copied();
        let forbidden = receipt.forbidden_change(self.actors.contracts.registry);
        let forbidden = created.or(forbidden);
        forbidden.map_or(Ok(()), |change| {
            Err(format!("forbidden state change: {change:?}"))
        })
    }
}

fn agree(expected: &CallResult, receipt: &Receipt) -> bool {
    expected.outcome == receipt.outcome && expected.logs == receipt.logs
}

/// Replaces the empty string at the end of calldata by a URI, which need not be UTF-8.
fn with_uri(mut data: Vec<u8>, uri: &[u8]) -> Vec<u8> {
    let length = data.len() - 32;
    data[length..].copy_from_slice(&U256::from(uri.len()).to_be_bytes::<32>());
    data.extend_from_slice(uri);
    data.resize(length + 32 + uri.len().div_ceil(32) * 32, 0);
    data
}
