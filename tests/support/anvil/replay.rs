//! Replays a journal on anvil and compares the results.

use std::{collections::BTreeSet, fmt};

use alloy_primitives::Address;
use atr_harness::{Fork, JournalEntry, Outcome, Receipt, Transaction, World};
use eyre::Result;

use super::node::{Mined, Node, NodeOutcome};

/// The number of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Mined transactions.
    pub transactions: usize,
    /// `eth_call` requests.
    pub calls: usize,
    /// Non-zero storage slots.
    pub slots: usize,
}

/// An anvil that replays the journal of a world.
#[derive(Debug)]
pub struct Replay {
    node: Node,
    time: u64,
    /// Anvil's own accounts.
    initial: BTreeSet<Address>,
    counts: Counts,
}

impl Replay {
    /// Starts anvil with the fork, chain id and time of an empty world.
    ///
    /// # Errors
    ///
    /// When anvil fails.
    pub fn start(fork: Fork, world: &World) -> Result<Self> {
        let node = Node::start(fork, world.chain_id(), world.time());
        Ok(Self {
            initial: node.accounts()?.into_keys().collect(),
            node,
            time: world.time(),
            counts: Counts::default(),
        })
    }

    /// The number of comparisons so far.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Replays all entries. Every transaction must have the same outcome, logs and gas. At the end all accounts must have the same
    /// code and storage.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn replay(&mut self, world: &World, journal: &[JournalEntry]) -> Result<(), String> {
        for (index, entry) in journal.iter().enumerate() {
            let differs = |difference: String| format!("entry {index}: {difference}");
            self.repeat(world, entry).map_err(differs)?;
        }
        self.compare_accounts(world)
    }

    /// Replays all entries, then reverts anvil to the state before.
    ///
    /// # Errors
    ///
    /// As [`Replay::replay`].
    pub fn replay_and_revert(
        &mut self,
        world: &World,
        journal: &[JournalEntry],
    ) -> Result<(), String> {
        let (snapshot, time) = (self.node.snapshot().map_err(text)?, self.time);
        let result = self.replay(world, journal);
        self.node.revert(snapshot).map_err(text)?;
        self.time = time;
        result
    }

    fn repeat(&mut self, world: &World, entry: &JournalEntry) -> Result<(), String> {
        match entry {
            JournalEntry::Sent(transaction, receipt) => {
                self.counts.transactions += 1;
                let mined = self.send(transaction).map_err(text)?;
                compare(receipt, &mined)
                    .map_err(|why| format!("{}\n{why}", describe(world, transaction)))
            }
            JournalEntry::Simulated(transaction, receipt) => {
                self.counts.calls += 1;
                let outcome = self.simulate(transaction).map_err(text)?;
                compare_outcome(receipt, &outcome)
                    .map_err(|why| format!("{}\n{why}", describe(world, transaction)))
            }
            JournalEntry::CodeSet(account, code) => {
                self.node.set_code(*account, code).map_err(text)
            }
            JournalEntry::StorageSet(account, slot, value) => {
                self.node.set_storage(*account, *slot, *value).map_err(text)
            }
            JournalEntry::TimeSet(seconds) => {
                self.time = *seconds;
                Ok(())
            }
            JournalEntry::ChainIdSet(chain_id) => self.node.set_chain_id(*chain_id).map_err(text),
        }
    }

    /// Every block has the timestamp of the world.
    fn send(&mut self, transaction: &Transaction) -> Result<Mined> {
        self.node.set_next_time(self.time)?;
        self.node.send(transaction)
    }

    fn simulate(&mut self, transaction: &Transaction) -> Result<NodeOutcome> {
        self.node.set_next_time(self.time)?;
        self.node.simulate(transaction)
    }

    /// Compares all accounts of both sides.
    fn compare_accounts(&mut self, world: &World) -> Result<(), String> {
        let mut on_anvil = self.node.accounts().map_err(text)?;
        let all: BTreeSet<_> = on_anvil.keys().copied().chain(world.accounts()).collect();
        for account in all.difference(&self.initial) {
            let name = world.names().of(*account);
            let found = on_anvil.remove(account).unwrap_or_default();
            if found.code != world.code(*account) {
                return Err(format!("{name} has different code on anvil"));
            }
            let storage = world.storage(*account);
            self.counts.slots += storage.len();
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

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            transactions,
            calls,
            slots,
        } = self;
        write!(
            f,
            "{transactions} transactions, {calls} calls and {slots} storage slots compared"
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
    compare_outcome(receipt, &mined.outcome)
}

fn compare_outcome(receipt: &Receipt, outcome: &NodeOutcome) -> Result<(), String> {
    let expected = match &receipt.outcome {
        Outcome::Returned(bytes) => NodeOutcome::Returned(bytes.clone()),
        Outcome::Reverted(bytes) => NodeOutcome::Reverted(bytes.clone()),
        Outcome::Halted(_) => NodeOutcome::Halted,
        Outcome::Created(_) => return Ok(()),
    };
    if *outcome == expected {
        return Ok(());
    }
    Err(format!(
        "  outcome on revm  {:?}\n  outcome on anvil {outcome:?}",
        receipt.outcome
    ))
}

fn describe(world: &World, transaction: &Transaction) -> String {
    let names = world.names();
    let to = transaction
        .to
        .map_or("a new contract".to_owned(), |to| names.of(to));
    format!(
        "{} to {to}, {} wei, {} gas: {}",
        names.of(transaction.from),
        transaction.value,
        transaction.gas,
        names.call(&transaction.data)
    )
}

fn text(error: impl fmt::Display) -> String {
    format!("{error:#}")
}
