//! Sends transactions in lockstep and compares all storage.

use acceptance::storage::{Storage, wrong_slot};
use alloy_primitives::{Address, U256};
use atr_harness::{
    Receipt, Transaction, World,
    model::{
        gas::Shortage,
        layout,
        predicates::{Slots, Stored},
    },
};

use super::{fixture::Fixture, reach};

impl Fixture<'_> {
    /// Sends a transaction with the variation of the step. It must match the model, or run out of gas where that is allowed. All
    /// storage must match the model.
    pub(crate) fn submit(&mut self, transaction: Transaction) -> Result<Receipt, String> {
        let transaction = match self.variation.is_plain() {
            true => self.at_ceiling(transaction),
            false => self.variation.apply(transaction),
        };
        self.record_shortage(&transaction);
        let receipt = self.send(&transaction)?;
        // Lockstep commits only with a log. A change without one must be seen too.
        if receipt.logs.is_empty() {
            self.lockstep.world.send(&transaction);
        }
        self.compare_storage(&transaction, &receipt)
            .map_err(|why| {
                let trace = self.lockstep.world.trace(&transaction);
                format!("{}\n{trace}", self.lockstep.world.names().replace_in(&why))
            })?;

        let to = transaction.to.unwrap_or_default();
        let names = self.actors.world.names();
        if !self.variation.is_plain() {
            self.reach.record_call(names, to, &self.variation, &receipt);
        }
        Ok(receipt)
    }

    /// Sends a transaction and records the use of its gas ceiling.
    pub(crate) fn send(&mut self, transaction: &Transaction) -> Result<Receipt, String> {
        let model = &self.lockstep.model;
        let ceiling = model.gas_ceiling(transaction);
        let must_match = model.shortage(transaction).is_none();
        let receipt = self.lockstep.send_with_limited_gas(transaction)?;
        // The properties of the registry measure its ceilings, with longer URIs.
        let is_registry = transaction.to == Some(self.actors.contracts.registry);
        if let Some(ceiling) = ceiling.filter(|_| must_match && !is_registry) {
            self.gas_use.record(ceiling, receipt.gas.execution);
        }
        Ok(receipt)
    }

    /// Limits the gas of a transaction to its ceiling.
    pub(crate) fn at_ceiling(&self, transaction: Transaction) -> Transaction {
        let limit = self.lockstep.model.gas_limit(&transaction);
        match limit.filter(|_| self.limits_gas) {
            Some(gas) => transaction.with_gas(gas),
            None => transaction,
        }
    }

    /// Records what may run out of gas in a transaction.
    pub(crate) fn record_shortage(&mut self, transaction: &Transaction) -> Shortage {
        let shortage = self.lockstep.model.shortage(transaction);
        let which = match (shortage.of_call, shortage.of_stipend) {
            (false, false) => "no shortage of gas",
            (false, true) => "shortage of a stipend",
            (true, _) => "shortage of the call",
        };
        self.reach.record(which.into());
        if self.variation.gas.is_some() && shortage.is_none() {
            let names = self.actors.world.names();
            let call = names.call(&transaction.data);
            let function = call.split([' ', '_']).next().unwrap_or_default();
            let to = transaction.to.unwrap_or_default();
            self.reach.record(reach::must_match(names, to, function));
        }
        shortage
    }

    /// Compares the registry's storage with the model's layout, and that of a predicate too if this call configured it. The storage
    /// of all other predicates must not have changed.
    fn compare_storage(
        &mut self,
        transaction: &Transaction,
        receipt: &Receipt,
    ) -> Result<(), String> {
        let registry = self.actors.contracts.registry;
        let expected = layout::storage(&self.lockstep.model.registry);
        let found = self.lockstep.world.storage(registry);
        if let Some(wrong) = wrong_slot(&expected, &found) {
            return Err(format!("registry: {wrong}"));
        }
        let world = &self.lockstep.world;
        for predicate in self.actors.predicates() {
            let found = world.storage(predicate);
            let stored = self.stored.entry(predicate).or_default();
            let is_configured = transaction.to == Some(predicate) && !receipt.logs.is_empty();
            if is_configured {
                let expected = self.lockstep.model.environment.slots_of(predicate);
                compare_slots(world, &expected, &found)
                    .map_err(|why| format!("{predicate} was configured: {why}"))?;
                *stored = found;
            } else if let Some(wrong) = wrong_slot(stored, &found) {
                return Err(format!("{predicate} was not configured: {wrong}"));
            }
        }
        Ok(())
    }
}

/// Compares every slot, and the code that a slot refers to.
fn compare_slots(world: &World, expected: &Slots, found: &Storage) -> Result<(), String> {
    if !expected.keys().eq(found.keys()) {
        let hex = |slots: Vec<&U256>| slots.iter().map(|slot| format!("{slot:#x} ")).collect();
        let [found, expected]: [String; 2] =
            [found.keys().collect(), expected.keys().collect()].map(hex);
        return Err(format!("slots are {found}instead of {expected}"));
    }
    for ((slot, stored), word) in expected.iter().zip(found.values()) {
        let is_equal = match stored {
            Stored::Word(expected) => word == expected,
            Stored::WithList(rest, list) => {
                let code = world.code(Address::from_word((*word).into()));
                let words = list.iter().flat_map(U256::to_be_bytes::<32>);
                let expected: Vec<u8> = std::iter::once(0).chain(words).collect();
                *word >> 160 == *rest >> 160 && *code == *expected
            }
        };
        if !is_equal {
            return Err(format!("slot {slot:#x} is {word:#x} instead of {stored}"));
        }
    }
    Ok(())
}
