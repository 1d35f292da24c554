//! Settings that each tool's creator makes for the tool.

use std::collections::BTreeMap;

use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::CompositePredicate::{CallerIsNotToolCreator, NotConfigured};

use crate::model::{Registry, Reply};

/// The settings of all tools, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct Settings<T> {
    /// The predicate's own address.
    pub(super) predicate: Address,
    /// The registry it serves.
    pub(super) registry: Address,
    of_tools: BTreeMap<U256, T>,
}

impl<T> Settings<T> {
    pub(super) const fn new(predicate: Address, registry: Address) -> Self {
        Self {
            predicate,
            registry,
            of_tools: BTreeMap::new(),
        }
    }

    /// What was set last, if anything ever was.
    pub(super) fn find(&self, id: U256) -> Option<&T> {
        self.of_tools.get(&id)
    }

    /// What was set last; without it there is no answer.
    pub(super) fn require(&self, id: U256) -> Result<&T, Reply> {
        self.find(id)
            .ok_or_else(|| Reply::reverts(&NotConfigured { toolId: id }))
    }

    /// Every setting and its slot, as Solidity places what stands in a mapping in slot 0.
    pub(super) fn slots(&self) -> impl Iterator<Item = (U256, &T)> {
        let slot_of = |id: &U256| keccak256((*id, U256::ZERO).abi_encode()).into();
        self.of_tools
            .iter()
            .map(move |(id, set)| (slot_of(id), set))
    }

    pub(super) fn set(&mut self, id: U256, setting: T) {
        self.of_tools.insert(id, setting);
    }
}

/// Refuses all but the creator of a live tool.
pub(super) fn require_creator(registry: &Registry, id: U256, caller: Address) -> Result<(), Reply> {
    match registry.tool(id)?.creator == caller {
        true => Ok(()),
        false => Err(Reply::reverts(&CallerIsNotToolCreator {
            toolId: id,
            caller,
        })),
    }
}
