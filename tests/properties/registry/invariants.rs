//! Invariants after every call, in the order of `contracts/test/invariant/README.md`.
//!
//! The expected state comes from the registry's events, as in an indexer, not from the model. Only the abbreviation of stored URIs
//! comes from the model.

use std::collections::BTreeMap;

use acceptance::registry::{Action, Machine, Scenario, ScriptedCall, Step, any_script, scenario};
use alloy_primitives::{Address, B256, Bytes, Log, U256};
use alloy_sol_types::{SolCall, SolError, SolEvent};
use atr_bindings::IToolRegistry::{
    AccessPredicateUpdated, ToolDeregistered, ToolIsDeregistered, ToolMetadataUpdated,
    ToolRegistered, getToolConfigCall, hasAccessCall, toolCountCall, tryHasAccessCall,
};
use atr_harness::{Behavior, Fork, Outcome, Receipt, Script, Transaction, model::layout::Text};
use proptest::prelude::*;

use super::plain;
use acceptance::property::holds;

const CASES: u32 = 150;
const STEPS: usize = 25;

/// The state of a tool according to the events.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Logged {
    creator: Address,
    /// `abi.encode(uri, hash)` as emitted: the URI need not be UTF-8.
    metadata: Bytes,
    predicate: Address,
    is_deregistered: bool,
}

/// A machine and the state according to its events.
struct Observed {
    machine: Machine,
    tools: BTreeMap<U256, Logged>,
    registrations: Vec<U256>,
    /// The last view call.
    last_call: Option<Transaction>,
}

impl Observed {
    /// After these steps.
    fn after(steps: &[Step], fork: Fork) -> Self {
        let mut observed = Self {
            machine: Machine::new(fork),
            tools: BTreeMap::new(),
            registrations: Vec::new(),
            last_call: None,
        };
        steps.iter().for_each(|step| observed.take(step));
        observed
    }

    /// Takes a step and records the events.
    fn take(&mut self, step: &Step) {
        let machine = &mut self.machine;
        let Some(transaction) = machine.transaction(step) else {
            machine.take(step).expect("not a call");
            return;
        };
        let receipt = machine.world.send(&transaction);
        if receipt.succeeded() {
            // Keeps the number of tools, from which later steps choose.
            let Transaction {
                from, value, data, ..
            } = transaction;
            machine.model.call(from, value, &data, &machine.actors);
        }
        receipt.logs.iter().for_each(|log| self.record(log));
    }

    fn record(&mut self, log: &Log) {
        let topics = log.topics();
        let id = U256::from_be_bytes(topics[1].0);
        let address = |index: usize| Address::from_word(topics[index]);
        match topics[0] {
            ToolRegistered::SIGNATURE_HASH => {
                self.registrations.push(id);
                let tool = Logged {
                    creator: address(2),
                    metadata: log.data.data.clone(),
                    predicate: address(3),
                    is_deregistered: false,
                };
                self.tools.insert(id, tool);
            }
            ToolMetadataUpdated::SIGNATURE_HASH => {
                self.tools
                    .entry(id)
                    .and_modify(|tool| tool.metadata = log.data.data.clone());
            }
            AccessPredicateUpdated::SIGNATURE_HASH => {
                self.tools
                    .entry(id)
                    .and_modify(|tool| tool.predicate = address(2));
            }
            ToolDeregistered::SIGNATURE_HASH => {
                self.tools
                    .entry(id)
                    .and_modify(|tool| tool.is_deregistered = true);
            }
            _ => {}
        }
    }

    fn view(&mut self, call: &impl SolCall) -> Receipt {
        let (account, registry) = (
            self.machine.actors.accounts[1],
            self.machine.actors.contracts.registry,
        );
        let transaction = Transaction::call(account, registry, call);
        let receipt = self.machine.world.simulate(&transaction);
        self.last_call = Some(transaction);
        receipt
    }

    /// `tryHasAccess` of a tool.
    fn access(&mut self, id: U256) -> Option<(bool, bool)> {
        let (account, data) = (self.machine.actors.accounts[1], Bytes::new());
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data,
        };
        let found = self.view(&call).returned::<tryHasAccessCall>()?;
        Some((found.ok, found.granted))
    }

    fn registered(&self) -> Vec<(U256, Logged)> {
        let registered = self.tools.iter().filter(|(_, tool)| !tool.is_deregistered);
        registered.map(|(id, tool)| (*id, tool.clone())).collect()
    }

    /// The 128 slots of a tool by offset, without zeros.
    fn slots(&self, id: U256) -> BTreeMap<u64, U256> {
        let first: U256 = id << 7;
        let storage = self
            .machine
            .world
            .storage(self.machine.actors.contracts.registry);
        let own = storage.range(first..first + U256::from(128));
        own.map(|(slot, value)| ((*slot - first).saturating_to::<u64>(), *value))
            .collect()
    }
}

/// Checks an invariant after every step of random scenarios.
fn after_every_step(check: impl Fn(&mut Observed) -> Result<(), String>) {
    after_every_step_of(scenario(STEPS), check);
}

fn after_every_step_of(
    scenarios: impl Strategy<Value = Scenario>,
    check: impl Fn(&mut Observed) -> Result<(), String>,
) {
    holds(CASES, scenarios, |Scenario { fork, steps }| {
        let mut observed = Observed::after(&[], fork);
        for (index, step) in steps.iter().enumerate() {
            observed.take(step);
            observed.last_call = None;
            check(&mut observed).map_err(|why| {
                let before = Observed::after(&steps[..index], fork);
                let step = before.machine.trace(step);
                let call = observed
                    .last_call
                    .as_ref()
                    .map_or_else(String::new, |call| {
                        format!("\nthen:\n{}", observed.machine.world.trace(call))
                    });
                let text = format!("after step {}: {why}{step}{call}", index + 1);
                before.machine.world.names().replace_in(&text)
            })?;
        }
        Ok(())
    });
}

/// Scenarios in which, after each step, a predicate changes to a response close to a grant.
fn with_invalid_responses() -> impl Strategy<Value = Scenario> {
    let length = prop_oneof![
        Just(32_u32),
        prop::sample::select(vec![31_u32, 33, 64]),
        0..100_u32
    ];
    let behavior = prop_oneof![3 => Just(Behavior::Return), 1 => Just(Behavior::Revert)];
    let invalid = (behavior, length).prop_map(|(behavior, length)| Script {
        behavior,
        length,
        value: U256::from(1),
    });
    let script = prop_oneof![3 => invalid, 1 => any_script(200_000)];
    let changes = (0..100_usize, script).prop_map(|(predicate, script)| {
        plain(Action::SetScript {
            predicate,
            call: ScriptedCall::HasAccess,
            script,
        })
    });
    let changes = prop::collection::vec(changes, 2 * STEPS);
    (changes, scenario(STEPS)).prop_map(|(changes, Scenario { fork, steps })| {
        let mut changes = changes.into_iter();
        let each = steps
            .into_iter()
            .flat_map(|step| [Some(step), changes.next()]);
        let steps = each.flatten().collect();
        Scenario { fork, steps }
    })
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn ids_are_consecutive_and_the_count_never_decreases() {
    //
    after_every_step(|observed| {
        let count = observed.view(&toolCountCall {}).returned::<toolCountCall>();
        let given = &observed.registrations;
        let in_order = given
            .iter()
            .zip(1_u64..)
            .all(|(id, number)| *id == U256::from(number));
        require(in_order && count == Some(U256::from(given.len())), || {
            format!("the count is {count:?}, the ids are {given:?}")
        })
    });
}

#[test]
fn the_creator_of_a_tool_never_changes() {
    //
    after_every_step(|observed| {
        for (id, tool) in observed.registered() {
            let receipt = observed.view(&getToolConfigCall { toolId: id });
            // The second word of the encoded struct. The URI in it need not be UTF-8.
            let found = match &receipt.outcome {
                Outcome::Returned(data) => data.get(32..64).map(B256::from_slice),
                _ => None,
            };
            require(found == Some(tool.creator.into_word()), || {
                format!("tool {id} of {} has creator {found:?}", tool.creator)
            })?;
        }
        Ok(())
    });
}

#[test]
fn deregistered_tools_stay_deregistered() {
    //
    after_every_step(|observed| {
        let tools = observed.tools.clone();
        for (id, _) in tools.into_iter().filter(|(_, tool)| tool.is_deregistered) {
            let error = ToolIsDeregistered { toolId: id }.abi_encode();
            let receipt = observed.view(&getToolConfigCall { toolId: id });
            require(receipt.outcome == Outcome::Reverted(error.into()), || {
                format!("tool {id}: {:?}", receipt.outcome)
            })?;
        }
        Ok(())
    });
}

#[test]
fn the_config_matches_the_last_events() {
    //
    after_every_step(|observed| {
        for (id, tool) in observed.registered() {
            let receipt = observed.view(&getToolConfigCall { toolId: id });
            let Outcome::Returned(data) = &receipt.outcome else {
                return Err(format!("tool {id} cannot be read: {:?}", receipt.outcome));
            };
            // Struct: offset, creator, offset of the URI, hash, predicate, URI. Event: offset of the URI, hash, URI.
            let same = data.get(96..128) == tool.metadata.get(32..64)
                && data.get(128..160) == Some(tool.predicate.into_word().as_slice())
                && data.get(160..) == tool.metadata.get(64..);
            require(same, || {
                format!("tool {id} is {data}, the events say {tool:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn an_unknown_result_never_grants_access() {
    // C-08
    after_every_step_of(with_invalid_responses(), |observed| {
        for (id, _) in observed.registered() {
            let access = observed.access(id);
            require(access.is_some() && access != Some((false, true)), || {
                format!("tool {id}: {access:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn has_access_is_ok_and_granted() {
    // C-09
    after_every_step(|observed| {
        for (id, _) in observed.registered() {
            let (account, data) = (observed.machine.actors.accounts[1], Bytes::new());
            let granted = observed.view(&hasAccessCall {
                toolId: id,
                account,
                data,
            });
            let granted = granted.returned::<hasAccessCall>();
            let access = observed.access(id);
            require(granted == access.map(|(ok, granted)| ok && granted), || {
                format!("tool {id}: {granted:?} and {access:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn storage_outside_registered_tools_is_zero() {
    after_every_step(|observed| {
        let registry = observed.machine.actors.contracts.registry;
        let storage = observed.machine.world.storage(registry);
        let count_slot = U256::from(1) << 71;
        for (slot, value) in storage {
            let tool = observed.tools.get(&(slot >> 7));
            let allowed = match tool {
                _ if slot == count_slot => value == U256::from(observed.registrations.len()),
                Some(tool) if tool.is_deregistered => {
                    slot & U256::from(127) == U256::ZERO && value == U256::from(1) << 255
                }
                Some(_) => true,
                None => false,
            };
            require(allowed, || format!("slot {slot:#x} holds {value:#x}"))?;
        }
        Ok(())
    });
}

#[test]
fn the_slots_of_a_tool_hold_only_its_config() {
    after_every_step(|observed| {
        for (id, tool) in observed.registered() {
            let slots = observed.slots(id);
            let length = U256::from_be_slice(&tool.metadata[64..96]).to::<usize>();
            let text = Text::new(&tool.metadata[96..96 + length]).bytes;
            let hash = B256::from_slice(&tool.metadata[32..64]);
            let is_gated = !tool.predicate.is_zero();
            let creator = U256::from_be_slice(tool.creator.as_slice());

            let tail_words = text.len().saturating_sub(9).div_ceil(32) as u64;
            let last = slots.keys().next_back().copied().unwrap_or_default();
            let expected_creator = is_gated.then_some(creator);
            let fits = slots.get(&2) == Some(&hash.into())
                && slots.get(&1).copied() == expected_creator
                && last <= (2 + tail_words).max(2);
            require(fits, || format!("tool {id}, {tool:?}, has slots {slots:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn open_tools_grant_access_to_everyone() {
    // C-01
    after_every_step(|observed| {
        for (id, tool) in observed.registered() {
            if tool.predicate.is_zero() {
                let access = observed.access(id);
                require(access == Some((true, true)), || {
                    format!("tool {id}: {access:?}")
                })?;
            }
        }
        Ok(())
    });
}
