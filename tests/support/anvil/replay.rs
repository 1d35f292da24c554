//! What was done in memory, done again on anvil, and compared.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use alloy_primitives::{Address, U256};
use atr_harness::{Deed, Fork, Outcome, Receipt, Transaction, World};
use eyre::Result;

use super::{
    Anvil,
    node::{End, Mined},
};

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Transactions that were mined.
    pub transactions: usize,
    /// Questions by `eth_call`.
    pub questions: usize,
    /// Storage slots.
    pub slots: usize,
}

/// An anvil that is led along the journal of a world.
#[derive(Debug)]
pub struct Replay {
    anvil: Anvil,
    time: u64,
    tally: Tally,
}

impl Replay {
    /// An anvil like a world in which nothing was done yet.
    ///
    /// # Errors
    ///
    /// When there is no anvil.
    pub fn start(fork: Fork, world: &World) -> Result<Self> {
        Ok(Self {
            anvil: Anvil::start(fork, world.chain_id(), world.time())?,
            time: world.time(),
            tally: Tally::default(),
        })
    }

    /// The anvil itself.
    pub const fn anvil(&mut self) -> &mut Anvil {
        &mut self.anvil
    }

    /// How much was compared up to now.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Does everything again. Every transaction must end alike, to the gas, and every account that took part must have the
    /// same code and the same storage in the end.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn follow(&mut self, world: &World, journal: &[Deed]) -> Result<(), String> {
        for (index, deed) in journal.iter().enumerate() {
            let differs = |what: String| format!("deed {index}: {what}");
            self.repeat(world, deed).map_err(differs)?;
        }
        self.compare_accounts(world, &accounts(journal))
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

    fn compare_accounts(
        &mut self,
        world: &World,
        accounts: &BTreeSet<Address>,
    ) -> Result<(), String> {
        for account in accounts {
            let name = world.names().of(*account);
            if self.anvil.code(*account).map_err(told)? != world.code(*account) {
                return Err(format!("{name} has other code on anvil"));
            }
            let storage = world.storage(*account);
            let slots: Vec<_> = neighbourhood(&storage).into_iter().collect();
            self.tally.slots += slots.len();
            let values = self.anvil.storage(*account, &slots).map_err(told)?;
            for (slot, value) in slots.iter().zip(values) {
                let expected = storage.get(slot).copied().unwrap_or_default();
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

/// Whoever was called, created or given something.
fn accounts(journal: &[Deed]) -> BTreeSet<Address> {
    let touched = journal.iter().filter_map(|deed| match deed {
        Deed::Sent(transaction, receipt) => match receipt.outcome {
            Outcome::Created(address) => Some(address),
            _ => transaction.to,
        },
        Deed::CodeSet(account, _) | Deed::StorageSet(account, ..) => Some(*account),
        Deed::TriedOut(..) | Deed::TimeSet(_) | Deed::ChainIdSet(_) => None,
    });
    touched.collect()
}

/// Slots that are set, and those around them that are not: a tool of the registry has 128 in a row, from a multiple of 128
/// on, and the tool before and the one behind have theirs.
fn neighbourhood(storage: &BTreeMap<U256, U256>) -> BTreeSet<U256> {
    let row = U256::from(128);
    let in_rows = storage.keys().filter(|slot| **slot >> 80 == U256::ZERO);
    let rows: BTreeSet<_> = in_rows
        .map(|slot| slot / row)
        .flat_map(|tool| {
            [
                tool.saturating_sub(U256::from(1)),
                tool,
                tool + U256::from(1),
            ]
        })
        .collect();
    let beside = storage
        .keys()
        .flat_map(|slot| [*slot, slot.wrapping_add(U256::from(1))]);
    let whole = rows
        .iter()
        .flat_map(|tool| (0..128).map(move |offset| *tool * row + U256::from(offset)));
    beside.chain(whole).collect()
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
