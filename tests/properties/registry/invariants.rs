//! What holds after every call, whoever made it: the properties of `contracts/test/invariant/README.md`, in its order.
//!
//! What the tools must be is gathered here from the registry's own logs, as an indexer does: neither the model nor the
//! registry's getters are believed. One asks the model how text is abbreviated in storage, and nothing else.

use std::collections::BTreeMap;

use acceptance::registry::{Act, Machine, Question, Scenario, Step, any_script, scenario};
use alloy_primitives::{Address, B256, Bytes, Log, U256};
use alloy_sol_types::{SolCall, SolError, SolEvent};
use atr_bindings::IToolRegistry::{
    AccessPredicateUpdated, ToolDeregistered, ToolIsDeregistered, ToolMetadataUpdated,
    ToolRegistered, getToolConfigCall, hasAccessCall, toolCountCall, tryHasAccessCall,
};
use atr_harness::{Fork, Manner, Outcome, Receipt, Script, Transaction, model::layout::Text};
use proptest::prelude::*;

use super::plainly;
use crate::property::holds;

const CASES: u32 = 150;
const STEPS: usize = 25;

/// What the logs tell about a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Logged {
    creator: Address,
    /// `abi.encode(uri, hash)`: as logged, so that no text need be made of it.
    metadata: Bytes,
    predicate: Address,
    is_removed: bool,
}

/// A chain, and what its logs have told so far.
struct Observed {
    machine: Machine,
    tools: BTreeMap<U256, Logged>,
    registrations: Vec<U256>,
    /// The last question that was put.
    asked: Option<Transaction>,
}

impl Observed {
    /// After these steps of a scenario.
    fn after(steps: &[Step], fork: Fork) -> Self {
        let mut observed = Self {
            machine: Machine::new(fork),
            tools: BTreeMap::new(),
            registrations: Vec::new(),
            asked: None,
        };
        steps.iter().for_each(|step| observed.take(step));
        observed
    }

    /// Takes a step and notes what is logged.
    fn take(&mut self, step: &Step) {
        let machine = &mut self.machine;
        let Some(transaction) = machine.transaction(step) else {
            machine.take(step).expect("no call, so nothing to compare");
            return;
        };
        let receipt = machine.world.send(&transaction);
        if receipt.succeeded() {
            // Only to know which tools there are to pick from.
            let Transaction {
                from, value, data, ..
            } = transaction;
            machine.model.call(from, value, &data, &machine.cast);
        }
        receipt.logs.iter().for_each(|log| self.note(log));
    }

    fn note(&mut self, log: &Log) {
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
                    is_removed: false,
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
                    .and_modify(|tool| tool.is_removed = true);
            }
            _ => {}
        }
    }

    fn ask(&mut self, call: &impl SolCall) -> Receipt {
        let (account, registry) = (
            self.machine.cast.actors[1],
            self.machine.cast.contracts.registry,
        );
        let question = Transaction::call(account, registry, call);
        let receipt = self.machine.world.try_out(&question);
        self.asked = Some(question);
        receipt
    }

    /// `tryHasAccess` of a tool.
    fn answer(&mut self, id: U256) -> Option<(bool, bool)> {
        let (account, data) = (self.machine.cast.actors[1], Bytes::new());
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data,
        };
        let found = self.ask(&call).returned::<tryHasAccessCall>()?;
        Some((found.ok, found.granted))
    }

    fn live(&self) -> Vec<(U256, Logged)> {
        let live = self.tools.iter().filter(|(_, tool)| !tool.is_removed);
        live.map(|(id, tool)| (*id, tool.clone())).collect()
    }

    /// What the registry keeps in the 128 slots of a tool, by offset.
    fn slots(&self, id: U256) -> BTreeMap<u64, U256> {
        let first: U256 = id << 7;
        let storage = self
            .machine
            .world
            .storage(self.machine.cast.contracts.registry);
        let own = storage.range(first..first + U256::from(128));
        own.map(|(slot, value)| ((*slot - first).saturating_to::<u64>(), *value))
            .collect()
    }
}

/// Whether something holds after every step of random sequences.
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
            observed.asked = None;
            check(&mut observed).map_err(|why| {
                let before = Observed::after(&steps[..index], fork);
                let step = before.machine.trace(step);
                let question = observed.asked.as_ref().map_or_else(String::new, |asked| {
                    format!("\nand then:\n{}", observed.machine.world.trace(asked))
                });
                let told = format!("after step {}: {why}{step}{question}", index + 1);
                before.machine.world.names().within(&told)
            })?;
        }
        Ok(())
    });
}

/// Sequences in which, after each step, a predicate takes to saying what is nearly a yes.
fn with_doubtful_answers() -> impl Strategy<Value = Scenario> {
    let length = prop_oneof![
        Just(32_u32),
        prop::sample::select(vec![31_u32, 33, 64]),
        0..100_u32
    ];
    let manner = prop_oneof![3 => Just(Manner::Returns), 1 => Just(Manner::Reverts)];
    let nearly = (manner, length).prop_map(|(manner, length)| Script {
        manner,
        length,
        word: U256::from(1),
    });
    let script = prop_oneof![3 => nearly, 1 => any_script(200_000)];
    let says = (0..100_usize, script).prop_map(|(predicate, script)| {
        plainly(Act::Rescript {
            predicate,
            question: Question::HasAccess,
            script,
        })
    });
    let sayings = prop::collection::vec(says, 2 * STEPS);
    (sayings, scenario(STEPS)).prop_map(|(sayings, Scenario { fork, steps })| {
        let mut sayings = sayings.into_iter();
        let each = steps
            .into_iter()
            .flat_map(|step| [Some(step), sayings.next()]);
        let steps = each.flatten().collect();
        Scenario { fork, steps }
    })
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn ids_count_registrations_and_only_grow() {
    //
    after_every_step(|observed| {
        let count = observed.ask(&toolCountCall {}).returned::<toolCountCall>();
        let given = &observed.registrations;
        let in_order = given
            .iter()
            .zip(1_u64..)
            .all(|(id, number)| *id == U256::from(number));
        require(in_order && count == Some(U256::from(given.len())), || {
            format!("the count is {count:?}, ids given {given:?}")
        })
    });
}

#[test]
fn a_tools_creator_never_changes() {
    //
    after_every_step(|observed| {
        for (id, tool) in observed.live() {
            let receipt = observed.ask(&getToolConfigCall { toolId: id });
            // The second word of the struct's encoding; the URI in it need not be text.
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
fn tombstones_never_come_back() {
    //
    after_every_step(|observed| {
        let tools = observed.tools.clone();
        for (id, _) in tools.into_iter().filter(|(_, tool)| tool.is_removed) {
            let refusal = ToolIsDeregistered { toolId: id }.abi_encode();
            let receipt = observed.ask(&getToolConfigCall { toolId: id });
            require(receipt.outcome == Outcome::Reverted(refusal.into()), || {
                format!("tool {id} is back: {:?}", receipt.outcome)
            })?;
        }
        Ok(())
    });
}

#[test]
fn the_configuration_is_the_last_one_logged() {
    //
    after_every_step(|observed| {
        for (id, tool) in observed.live() {
            let receipt = observed.ask(&getToolConfigCall { toolId: id });
            let Outcome::Returned(data) = &receipt.outcome else {
                return Err(format!("tool {id} cannot be read: {:?}", receipt.outcome));
            };
            // Struct: offset, creator, offset of the URI, hash, predicate, URI. Log: offset of the URI, hash, URI.
            let same = data.get(96..128) == tool.metadata.get(32..64)
                && data.get(128..160) == Some(tool.predicate.into_word().as_slice())
                && data.get(160..) == tool.metadata.get(64..);
            require(same, || {
                format!("tool {id} reads {data}, logged was {tool:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn no_answer_is_never_a_yes() {
    // C-08
    after_every_step_of(with_doubtful_answers(), |observed| {
        for (id, _) in observed.live() {
            let answer = observed.answer(id);
            require(answer.is_some() && answer != Some((false, true)), || {
                format!("tool {id} answers {answer:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn has_access_is_ok_and_granted() {
    // C-09
    after_every_step(|observed| {
        for (id, _) in observed.live() {
            let (account, data) = (observed.machine.cast.actors[1], Bytes::new());
            let plainly = observed.ask(&hasAccessCall {
                toolId: id,
                account,
                data,
            });
            let plainly = plainly.returned::<hasAccessCall>();
            let answer = observed.answer(id);
            require(plainly == answer.map(|(ok, granted)| ok && granted), || {
                format!("tool {id}: {plainly:?} and {answer:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn storage_outside_live_tools_is_zero() {
    after_every_step(|observed| {
        let registry = observed.machine.cast.contracts.registry;
        let storage = observed.machine.world.storage(registry);
        let count_slot = U256::from(1) << 71;
        for (slot, value) in storage {
            let tool = observed.tools.get(&(slot >> 7));
            let allowed = match tool {
                _ if slot == count_slot => value == U256::from(observed.registrations.len()),
                Some(tool) if tool.is_removed => {
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
fn a_tools_slots_hold_only_its_own_configuration() {
    after_every_step(|observed| {
        for (id, tool) in observed.live() {
            let slots = observed.slots(id);
            let length = U256::from_be_slice(&tool.metadata[64..96]).to::<usize>();
            let text = Text::of(&tool.metadata[96..96 + length]).bytes;
            let hash = B256::from_slice(&tool.metadata[32..64]);
            let is_gated = !tool.predicate.is_zero();
            let creator = U256::from_be_slice(tool.creator.as_slice());

            let behind_header = text.len().saturating_sub(9).div_ceil(32) as u64;
            let last = slots.keys().next_back().copied().unwrap_or_default();
            let expected_creator = is_gated.then_some(creator);
            let fits = slots.get(&2) == Some(&hash.into())
                && slots.get(&1).copied() == expected_creator
                && last <= (2 + behind_header).max(2);
            require(fits, || format!("tool {id}, {tool:?}, has slots {slots:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn open_tools_let_everyone_in() {
    // C-01
    after_every_step(|observed| {
        for (id, tool) in observed.live() {
            if tool.predicate.is_zero() {
                let answer = observed.answer(id);
                require(answer == Some((true, true)), || {
                    format!("tool {id} answers {answer:?}")
                })?;
            }
        }
        Ok(())
    });
}
