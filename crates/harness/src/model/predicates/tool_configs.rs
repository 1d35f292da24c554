//! Per-tool configuration.

use std::collections::BTreeMap;

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::CompositePredicate::{CallerIsNotToolCreator, NotConfigured};

use super::{Slots, Stored};
use crate::model::{CallResult, Registry};

/// The configurations of all tools of one predicate.
#[derive(Clone, Debug)]
pub(super) struct ToolConfigs<T> {
    pub(super) predicate: Address,
    pub(super) registry: Address,
    by_tool: BTreeMap<U256, T>,
}

impl<T> ToolConfigs<T> {
    pub(super) const fn new(predicate: Address, registry: Address) -> Self {
        Self {
            predicate,
            registry,
            by_tool: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, id: U256) -> Option<&T> {
        self.by_tool.get(&id)
    }

    /// The configuration; reverts with `NotConfigured` if there is none.
    pub(super) fn require(&self, id: U256) -> Result<&T, CallResult> {
        self.get(id)
            .ok_or_else(|| CallResult::reverts(&NotConfigured { toolId: id }))
    }

    /// Every configuration and its slot: Solidity's layout of a mapping in slot 0.
    pub(super) fn by_slot(&self) -> impl Iterator<Item = (U256, &T)> {
        let slot_of = |id: &U256| keccak256((*id, U256::ZERO).abi_encode()).into();
        self.by_tool
            .iter()
            .map(move |(id, config)| (slot_of(id), config))
    }

    /// The storage, if a configuration occupies one slot.
    pub(super) fn slots(&self, stored: impl Fn(&T) -> Stored) -> Slots {
        let each = self.by_slot();
        each.map(|(slot, config)| (slot, stored(config))).collect()
    }

    pub(super) fn insert(&mut self, id: U256, config: T) {
        self.by_tool.insert(id, config);
    }
}

/// Reverts unless the caller created the tool, which must be registered.
pub(super) fn require_creator(
    registry: &Registry,
    id: U256,
    caller: Address,
) -> Result<(), CallResult> {
    match registry.tool(id)?.creator == caller {
        true => Ok(()),
        false => Err(CallResult::reverts(&CallerIsNotToolCreator {
            toolId: id,
            caller,
        })),
    }
}
