//! Ids: none but the tools' own lead to their slots, and a removed one leads nowhere.

use std::fmt;

use acceptance::registry::{Machine, Scenario, steps};
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::IToolRegistry::{
    ToolIsDeregistered, ToolNotFound, deregisterToolCall, getToolConfigCall, hasAccessCall,
    setAccessPredicateCall, tryHasAccessCall, updateToolMetadataCall,
};
use atr_harness::{Fork, Outcome, Transaction};
use proptest::prelude::*;

use crate::property::holds;

/// Some sequence, then calls on an id.
#[derive(Clone, Debug)]
struct Afterwards {
    before: Scenario,
    pick: usize,
    on_top: U256,
    uri: String,
}

impl fmt::Display for Afterwards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id(self.machine().model.count());
        write!(
            f,
            "{}\n  then calls on {id:#x} with {:?}",
            self.before, self.uri
        )
    }
}

fn afterwards(on_top: impl Strategy<Value = U256>) -> impl Strategy<Value = Afterwards> {
    (steps(16), any::<usize>(), on_top, ".{0,60}").prop_map(|(steps, pick, on_top, uri)| {
        Afterwards {
            before: Scenario {
                fork: Fork::Cancun,
                steps,
            },
            pick,
            on_top,
            uri,
        }
    })
}

impl Afterwards {
    /// Whether everything does what the model says is another property's business.
    fn machine(&self) -> Machine {
        Machine::after(&self.before.steps, self.before.fork)
    }

    /// A tool's id, or with something on top: then perhaps no tool's.
    fn id(&self, count: u64) -> U256 {
        let pick = self.pick as u64;
        if self.on_top.is_zero() {
            return U256::from(1 + pick % count.max(1));
        }
        U256::from(pick % (count + 1)) | self.on_top
    }

    /// Every call that takes an id.
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

/// Every call on this id by every actor is refused this way, and nothing changes.
fn all_refused(
    machine: &mut Machine,
    calls: &[Vec<u8>],
    refusal: &impl SolError,
) -> Result<(), String> {
    let registry = machine.cast.contracts.registry;
    let before = machine.world.storage(registry);
    for from in machine.cast.actors.clone() {
        for data in calls {
            let transaction = Transaction::raw(from, registry, data.clone());
            let receipt = machine.world.send(&transaction);
            let is_refused = receipt.outcome == Outcome::Reverted(refusal.abi_encode().into());
            if !is_refused || !receipt.changes.is_empty() {
                return Err(format!(
                    "not refused as it must be, or changed {:?}\n{}",
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
fn no_other_id_leads_to_a_tools_slots() {
    let high_bit = (7_usize..256).prop_map(|bit| U256::from(1) << bit);
    let word = any::<[u8; 32]>().prop_map(U256::from_be_bytes);
    let on_top = prop_oneof![3 => high_bit, 1 => word];
    //
    holds(300, afterwards(on_top), |after| {
        let mut machine = after.machine();
        let count = machine.model.count();
        let id = after.id(count);
        if id > U256::ZERO && id <= U256::from(count) {
            return Ok(());
        }
        let calls = after.calls(id, machine.cast.actors[1]);
        all_refused(&mut machine, &calls, &ToolNotFound { toolId: id })
    });
}

#[test]
fn a_removed_tool_is_gone_for_good() {
    //
    holds(300, afterwards(Just(U256::ZERO)), |after| {
        let mut machine = after.machine();
        let registry = machine.cast.contracts.registry;
        let id = after.id(machine.model.count());
        let Some(slot) = machine.model.tools().get(id.to::<usize>() - 1) else {
            return Ok(());
        };
        let mut removal = String::new();
        if let Some(tool) = slot {
            let call = deregisterToolCall { toolId: id };
            let transaction = Transaction::call(tool.creator, registry, &call);
            removal = machine.world.trace(&transaction).to_string();
            if !machine.world.send(&transaction).succeeded() {
                return Err(format!("cannot be removed\n{removal}"));
            }
        }
        let calls = after.calls(id, machine.cast.actors[1]);
        all_refused(&mut machine, &calls, &ToolIsDeregistered { toolId: id })?;

        let first: U256 = id << 7;
        let storage = machine.world.storage(registry);
        let left: Vec<_> = storage.range(first..first + U256::from(128)).collect();
        if left != [(&first, &(U256::from(1) << 255))] {
            return Err(format!("not a tombstone alone: {left:?}\n{removal}"));
        }
        Ok(())
    });
}
