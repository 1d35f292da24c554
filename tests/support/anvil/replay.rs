//! What was done in memory, done again on anvil, and compared.

use std::{collections::BTreeSet, fmt};

use alloy_primitives::Address;
use atr_harness::{Deed, Fork, Outcome, Receipt, Transaction, World};
use eyre::Result;

use super::node::{Anvil, End, Mined};

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Transactions that were mined.
    pub transactions: usize,
    /// Questions by `eth_call`.
    pub questions: usize,
    /// Storage slots that are set.
    pub slots: usize,
}

/// An anvil that is led along the journal of a world.
#[derive(Debug)]
pub struct Replay {
    anvil: Anvil,
    time: u64,
    /// Accounts that anvil came with, and keeps for itself.
    given: BTreeSet<Address>,
    tally: Tally,
}

impl Replay {
    /// An anvil like a world in which nothing was done yet.
    ///
    /// # Errors
    ///
    /// When there is no anvil.
    pub fn start(fork: Fork, world: &World) -> Result<Self> {
        let mut anvil = Anvil::start(fork, world.chain_id(), world.time())?;
        Ok(Self {
            given: anvil.accounts()?.into_keys().collect(),
            anvil,
            time: world.time(),
            tally: Tally::default(),
        })
    }

    /// How much was compared up to now.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Does everything again. Every transaction must end alike, to the gas, and in the end every account of either side must
    /// have the same code and the same storage.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn follow(&mut self, world: &World, journal: &[Deed]) -> Result<(), String> {
        for (index, deed) in journal.iter().enumerate() {
            let differs = |what: String| format!("deed {index}: {what}");
            self.repeat(world, deed).map_err(differs)?;
        }
        self.compare_accounts(world)
    }

    /// The same, and then everything is again as it was before.
    ///
    /// # Errors
    ///
    /// As [`Replay::follow`].
    pub fn follow_once(&mut self, world: &World, journal: &[Deed]) -> Result<(), String> {
        let (before, time) = (self.anvil.snapshot().map_err(told)?, self.time);
        let followed = self.follow(world, journal);
        self.anvil.revert(before).map_err(told)?;
        self.time = time;
        followed
    }

    fn repeat(&mut self, world: &World, deed: &Deed) -> Result<(), String> {
        match deed {
            Deed::Sent(transaction, receipt) => {
                self.tally.transactions += 1;
                let mined = self.send(transaction).map_err(told)?;
                compare(receipt, &mined)
                    .map_err(|what| format!("{}\n{what}", tell(world, transaction)))
            }
            Deed::TriedOut(transaction, receipt) => {
                self.tally.questions += 1;
                let end = self.try_out(transaction).map_err(told)?;
                compare_end(receipt, &end)
                    .map_err(|what| format!("{}\n{what}", tell(world, transaction)))
            }
            Deed::CodeSet(account, code) => self.anvil.set_code(*account, code).map_err(told),
            Deed::StorageSet(account, slot, value) => self
                .anvil
                .set_storage(*account, *slot, *value)
                .map_err(told),
            Deed::TimeSet(seconds) => {
                self.time = *seconds;
                Ok(())
            }
            Deed::ChainIdSet(chain_id) => self.anvil.set_chain_id(*chain_id).map_err(told),
        }
    }

    /// Every block has the time of the world.
    fn send(&mut self, transaction: &Transaction) -> Result<Mined> {
        self.anvil.set_next_time(self.time)?;
        self.anvil.send(transaction)
    }

    fn try_out(&mut self, transaction: &Transaction) -> Result<End> {
        self.anvil.set_next_time(self.time)?;
        self.anvil.try_out(transaction)
    }

    /// All there is, so that nothing is anywhere on anvil that is not on revm.
    fn compare_accounts(&mut self, world: &World) -> Result<(), String> {
        let mut on_anvil = self.anvil.accounts().map_err(told)?;
        let everyone: BTreeSet<_> = on_anvil.keys().copied().chain(world.accounts()).collect();
        for account in everyone.difference(&self.given) {
            let name = world.names().of(*account);
            let found = on_anvil.remove(account).unwrap_or_default();
            if found.code != world.code(*account) {
                return Err(format!("{name} has other code on anvil"));
            }
            let storage = world.storage(*account);
            self.tally.slots += storage.len();
            if let Some((slot, _)) = storage
                .iter()
                .find(|(slot, _)| !found.storage.contains_key(slot))
            {
                return Err(format!("slot {slot:#x} of {name} is not set on anvil"));
            }
            for (slot, value) in found.storage {
                let expected = storage.get(&slot).copied().unwrap_or_default();
                if value != expected {
                    return Err(format!(
                        "slot {slot:#x} of {name} is {expected:#066x} on revm, {value:#066x} on anvil"
                    ));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            transactions,
            questions,
            slots,
        } = self;
        write!(
            f,
            "{transactions} transactions, {questions} questions and {slots} storage slots compared"
        )
    }
}

fn compare(receipt: &Receipt, mined: &Mined) -> Result<(), String> {
    let same = |what: &str, revm: &dyn fmt::Debug, anvil: &dyn fmt::Debug, equal: bool| {
        if equal {
            Ok(())
        } else {
            Err(format!(
                "  {what} on revm  {revm:?}\n  {what} on anvil {anvil:?}"
            ))
        }
    };
    let succeeded = receipt.succeeded();
    same("success", &receipt, &mined, succeeded == mined.succeeded)?;
    let gas = receipt.gas.transaction;
    same("gas", &gas, &mined.gas_used, gas == mined.gas_used)?;
    let equal = receipt.logs == mined.logs;
    same("logs", &receipt.logs, &mined.logs, equal)?;
    if let Outcome::Created(address) = receipt.outcome {
        let equal = mined.created == Some(address);
        return same("address", &address, &mined.created, equal);
    }
    compare_end(receipt, &mined.end)
}

fn compare_end(receipt: &Receipt, end: &End) -> Result<(), String> {
    let expected = match &receipt.outcome {
        Outcome::Returned(bytes) => End::Returned(bytes.clone()),
        Outcome::Reverted(bytes) => End::Reverted(bytes.clone()),
        Outcome::Halted(_) => End::Halted,
        Outcome::Created(_) => return Ok(()),
    };
    if *end == expected {
        return Ok(());
    }
    Err(format!(
        "  end on revm  {:?}\n  end on anvil {end:?}",
        receipt.outcome
    ))
}

fn tell(world: &World, transaction: &Transaction) -> String {
    let names = world.names();
    let to = transaction
        .to
        .map_or("nobody".to_owned(), |to| names.of(to));
    format!(
        "{} to {to}, {} wei, {} gas: {}",
        names.of(transaction.from),
        transaction.value,
        transaction.gas,
        names.call(&transaction.data)
    )
}

fn told(error: impl fmt::Display) -> String {
    format!("{error:#}")
}
