//! Tool ids: unused and deregistered ids.

use std::fmt;

use acceptance::registry::{Action, Caller, Machine, NewPredicate, Scenario, ToolPick, Uri, steps};
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::IToolRegistry::{
    ToolIsDeregistered, ToolNotFound, deregisterToolCall, getToolConfigCall, hasAccessCall,
    setAccessPredicateCall, tryHasAccessCall, updateToolMetadataCall,
};
use atr_harness::{Fork, Outcome, Transaction};
use proptest::prelude::*;

use super::plain;
use acceptance::property::holds;

/// Calls on an id after a scenario.
#[derive(Clone, Debug)]
struct CallsAfter {
    before: Scenario,
    pick: usize,
    bits: U256,
    uri: String,
}

impl fmt::Display for CallsAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id(self.machine().model.count());
        write!(
            f,
            "{}\n  then calls on {id:#x} with {:?}",
            self.before, self.uri
        )
    }
}

fn calls_after(bits: impl Strategy<Value = U256>) -> impl Strategy<Value = CallsAfter> {
    (steps(16), any::<usize>(), bits, ".{0,60}").prop_map(|(steps, pick, bits, uri)| CallsAfter {
        before: Scenario {
            fork: Fork::Cancun,
            steps,
        },
        pick,
        bits,
        uri,
    })
}

impl CallsAfter {
    fn machine(&self) -> Machine {
        Machine::after(&self.before.steps, self.before.fork)
    }

    /// The id of a tool, or one with more bits set.
    fn id(&self, count: u64) -> U256 {
        let pick = self.pick as u64;
        if self.bits.is_zero() {
            return U256::from(1 + pick % count.max(1));
        }
        U256::from(pick % (count + 1)) | self.bits
    }

    /// Every function that takes an id.
    fn calls(&self, id: U256, account: Address) -> [Vec<u8>; 6] {
        let data = Bytes::from(self.uri.clone().into_bytes());
        let (uri, hash) = (self.uri.clone(), B256::repeat_byte(7));
        [
            updateToolMetadataCall {
                toolId: id,
                newURI: uri,
                newHash: hash,
            }
            .abi_encode(),
            setAccessPredicateCall {
                toolId: id,
                newPredicate: account,
            }
            .abi_encode(),
            deregisterToolCall { toolId: id }.abi_encode(),
            getToolConfigCall { toolId: id }.abi_encode(),
            hasAccessCall {
                toolId: id,
                account,
                data: data.clone(),
            }
            .abi_encode(),
            tryHasAccessCall {
                toolId: id,
                account,
                data,
            }
            .abi_encode(),
        ]
    }
}

/// Every call from every account reverts with this error and changes nothing.
fn all_revert(
    machine: &mut Machine,
    calls: &[Vec<u8>],
    error: &impl SolError,
) -> Result<(), String> {
    let registry = machine.actors.contracts.registry;
    let before = machine.world.storage(registry);
    for from in machine.actors.accounts.clone() {
        for data in calls {
            let transaction = Transaction::raw(from, registry, data.clone());
            let receipt = machine.world.send(&transaction);
            let is_reverted = receipt.outcome == Outcome::Reverted(error.abi_encode().into());
            if !is_reverted || !receipt.changes.is_empty() {
                return Err(format!(
                    "did not revert as expected, or changed {:?}\n{}",
                    receipt.changes,
                    machine.world.trace(&transaction)
                ));
            }
        }
    }
    if machine.world.storage(registry) != before {
        return Err("storage changed".into());
    }
    Ok(())
}

#[test]
fn no_other_id_maps_to_the_slots_of_a_tool() {
    let high_bit = (7_usize..256).prop_map(|bit| U256::from(1) << bit);
    let word = any::<[u8; 32]>().prop_map(U256::from_be_bytes);
    let bits = prop_oneof![3 => high_bit, 1 => word];
    //
    holds(300, calls_after(bits), |after| {
        let mut machine = after.machine();
        let count = machine.model.count();
        let id = after.id(count);
        if id > U256::ZERO && id <= U256::from(count) {
            return Ok(());
        }
        let calls = after.calls(id, machine.actors.accounts[1]);
        all_revert(&mut machine, &calls, &ToolNotFound { toolId: id })
    });
}

#[test]
fn tools_above_255_have_slots_of_their_own() {
    let mut machine = Machine::new(Fork::Cancun);
    let take = |machine: &mut Machine, action| machine.take(&plain(action)).unwrap();
    for number in 1..=520_u64 {
        let register = Action::Register {
            by: number as usize,
            uri: Uri(format!("https://{number}.example/a-tool-with-a-longer-name").into_bytes()),
            hash: U256::from(number).into(),
            predicate: number as usize,
        };
        take(&mut machine, register);
    }
    let by = Caller::Creator;
    for index in [0, 255, 256, 257, 511, 512] {
        let tool = ToolPick::Existing(index);
        take(
            &mut machine,
            Action::SetPredicate {
                tool,
                by,
                predicate: NewPredicate::Index(index % 2),
            },
        );
        if index % 3 == 0 {
            take(&mut machine, Action::Deregister { tool, by });
        }
    }
    machine.compare_storage().unwrap();
    machine.read_all().unwrap();
}

#[test]
fn a_deregistered_tool_rejects_every_call() {
    //
    holds(300, calls_after(Just(U256::ZERO)), |after| {
        let mut machine = after.machine();
        let registry = machine.actors.contracts.registry;
        let id = after.id(machine.model.count());
        let Some(slot) = machine.model.tools().get(id.to::<usize>() - 1) else {
            return Ok(());
        };
        let mut deregistration = String::new();
        if let Some(tool) = slot {
            let call = deregisterToolCall { toolId: id };
            let transaction = Transaction::call(tool.creator, registry, &call);
            deregistration = machine.world.trace(&transaction).to_string();
            if !machine.world.send(&transaction).succeeded() {
                return Err(format!("deregistration failed\n{deregistration}"));
            }
        }
        let calls = after.calls(id, machine.actors.accounts[1]);
        all_revert(&mut machine, &calls, &ToolIsDeregistered { toolId: id })?;

        let first: U256 = id << 7;
        let storage = machine.world.storage(registry);
        let left: Vec<_> = storage.range(first..first + U256::from(128)).collect();
        if left != [(&first, &(U256::from(1) << 255))] {
            return Err(format!("more than a tombstone: {left:?}\n{deregistration}"));
        }
        Ok(())
    });
}
