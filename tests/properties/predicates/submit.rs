//! Makes calls on both sides, and looks at everything that is stored.

use acceptance::storage::{Storage, wrong_slot};
use alloy_primitives::{Address, U256};
use atr_harness::{
    Receipt, Transaction, World,
    model::{
        Supply, layout,
        predicates::{Slots, Stored},
    },
};

use super::{reach, stage::Stage};

impl Stage<'_> {
    /// Makes a call in the form of the step. It must come to what the model says, or to want of gas where gas may lack; and
    /// nothing may be stored but what the model says.
    pub(crate) fn submit(&mut self, transaction: Transaction) -> Result<Receipt, String> {
        let transaction = self.form.shape(transaction);
        self.note_supply(&transaction);
        let receipt = self.twin.send_starved(&transaction)?;
        // What it changed without a log is to be seen too.
        if receipt.logs.is_empty() {
            self.twin.world.send(&transaction);
        }
        self.compare_storage(&transaction, &receipt)
            .map_err(|why| {
                let trace = self.twin.world.trace(&transaction);
                format!("{}\n{trace}", self.twin.world.names().within(&why))
            })?;

        let to = transaction.to.unwrap_or_default();
        let names = self.cast.world.names();
        if !self.form.is_plain() {
            self.reach.note_call(names, to, &self.form, &receipt);
        }
        Ok(receipt)
    }

    /// The same with just the gas that is said to be enough, if that can be said. It is said of the bytes we ship.
    pub(crate) fn sparing(&self, transaction: Transaction) -> Transaction {
        let enough = self.twin.model.enough_gas(&transaction);
        match enough.filter(|_| self.cast.is_shipped) {
            Some(gas) => transaction.with_gas(gas),
            None => transaction,
        }
    }

    /// Whether somebody may lack gas in a call, for the record.
    pub(crate) fn note_supply(&mut self, transaction: &Transaction) -> Supply {
        let supply = self.twin.model.supply(transaction);
        let short = match (supply.call_is_short, supply.terms_are_short) {
            (false, false) => "nobody lacks gas",
            (false, true) => "a term may lack gas",
            (true, _) => "the call may lack gas",
        };
        self.reach.note(short.into());
        if self.form.gas.is_some() && supply.is_full() {
            let names = self.cast.world.names();
            let call = names.call(&transaction.data);
            let function = call.split([' ', '_']).next().unwrap_or_default();
            let to = transaction.to.unwrap_or_default();
            self.reach.note(reach::must_obey(names, to, function));
        }
        supply
    }

    /// All storage is what the model lays out, and that of a predicate is as it was, unless this call set it up.
    fn compare_storage(
        &mut self,
        transaction: &Transaction,
        receipt: &Receipt,
    ) -> Result<(), String> {
        let registry = self.cast.contracts.registry;
        let expected = layout::storage(&self.twin.model.registry);
        let found = self.twin.world.storage(registry);
        if let Some(wrong) = wrong_slot(&expected, &found) {
            return Err(format!("the registry's {wrong}"));
        }
        let world = &self.twin.world;
        for predicate in self.cast.predicates() {
            let found = world.storage(predicate);
            let kept = self.kept.entry(predicate).or_default();
            let is_set_up = transaction.to == Some(predicate) && !receipt.logs.is_empty();
            if is_set_up {
                let expected = self.twin.model.neighbours.slots_of(predicate);
                compare_slots(world, &expected, &found)
                    .map_err(|why| format!("{predicate} was set up, and its {why}"))?;
                *kept = found;
            } else if let Some(wrong) = wrong_slot(kept, &found) {
                return Err(format!("{predicate} was not set up, and its {wrong}"));
            }
        }
        Ok(())
    }
}

/// Every slot holds what it should, and the code it leads to if it does.
fn compare_slots(world: &World, expected: &Slots, found: &Storage) -> Result<(), String> {
    if !expected.keys().eq(found.keys()) {
        let hex = |slots: Vec<&U256>| slots.iter().map(|slot| format!("{slot:#x} ")).collect();
        let [found, expected]: [String; 2] =
            [found.keys().collect(), expected.keys().collect()].map(hex);
        return Err(format!("slots are {found}instead of {expected}"));
    }
    for ((slot, stored), word) in expected.iter().zip(found.values()) {
        let holds = match stored {
            Stored::Word(expected) => word == expected,
            Stored::WithList(rest, list) => {
                let code = world.code(Address::from_word((*word).into()));
                let words = list.iter().flat_map(U256::to_be_bytes::<32>);
                let expected: Vec<u8> = std::iter::once(0).chain(words).collect();
                *word >> 160 == *rest >> 160 && *code == *expected
            }
        };
        if !holds {
            return Err(format!("slot {slot:#x} holds {word:#x}, not {stored}"));
        }
    }
    Ok(())
}
