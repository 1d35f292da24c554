use acceptance::{
    pipeline::Pipeline,
    property::holds,
    registry::{Actors, Machine, Scenario, Step, steps},
    report,
};
use atr_bindings::CONTRACTS;
use atr_harness::{CodeSource, Fork, JournalEntry, Outcome, Receipt, Transaction, World};
use proptest::strategy::Strategy;
use std::cell::Cell;

use crate::scenarios::{self, any_journaled_scenario};

#[test]
fn the_legacy_pipeline_matches() {
    compare(Pipeline::Legacy);
}

#[test]
fn the_legacy_pipeline_without_optimizer_matches() {
    compare(Pipeline::LegacyUnoptimized);
}

#[test]
fn the_ir_pipeline_without_optimizer_matches() {
    compare(Pipeline::IrUnoptimized);
}

/// Runs random scenarios on the committed bytecode and on that of another pipeline. Only gas may differ.
fn compare(pipeline: Pipeline) {
    let (ours, theirs) = (
        CodeSource::Committed,
        pipeline.build().expect("forge builds the contracts"),
    );
    for contract in CONTRACTS {
        let (committed, built) = (ours.creation_code(contract), theirs.creation_code(contract));
        assert_ne!(
            committed,
            built,
            "{} has the committed bytecode",
            contract.name()
        );
    }

    let fork = Fork::Cancun;
    let compared = Cell::new(0);

    compare_predicate_scenarios(fork, [&ours, &theirs], &compared);

    let [ours, theirs] = [&ours, &theirs].map(|code| Actors::deploy(fork, code));
    let scenarios = steps(60).prop_map(|mut steps| {
        steps.iter_mut().for_each(without_gas_limit);
        Scenario { fork, steps }
    });
    holds(40, scenarios, |scenario| {
        let taken = |(world, actors): &(World, Actors)| {
            let mut machine = Machine::in_world(world.clone(), actors.clone());
            machine.world.start_journal();
            let taken = machine.take_all(&scenario.steps);
            taken
                .map(|()| machine.world)
                .map_err(|mismatch| mismatch.difference)
        };
        let more = compare_journals(&mut taken(&ours)?, &mut taken(&theirs)?)?;
        compared.set(compared.get() + more);
        Ok(())
    });
    report(&format!(
        "{pipeline:?}: {} transactions compared",
        compared.get()
    ));
}

/// Runs scenarios of predicates on the committed bytecode and repeats every journal entry on the other.
fn compare_predicate_scenarios(
    fork: Fork,
    [ours, theirs]: [&CodeSource; 2],
    compared: &Cell<usize>,
) {
    let [(ours, _), (theirs, _)] = [ours, theirs].map(|code| scenarios::deploy(fork, code));
    holds(60, any_journaled_scenario(), |scenario| {
        let (world, journal) = scenario.without_gas_limits().run(&ours)?;
        let mut other = theirs.world.clone();
        for entry in &journal {
            if let Some((call, receipt, theirs)) = repeat(&mut other, entry) {
                compared.set(compared.get() + 1);
                compare_outcomes(&world, call, receipt, &theirs)?;
            }
        }
        compare_storage(&world, &other)
    });
}

/// Repeats a journal entry in another world; for calls, returns both receipts.
fn repeat<'a>(
    world: &mut World,
    entry: &'a JournalEntry,
) -> Option<(&'a Transaction, &'a Receipt, Receipt)> {
    match entry {
        JournalEntry::Sent(call, receipt) => return Some((call, receipt, world.send(call))),
        JournalEntry::Simulated(call, receipt) => {
            return Some((call, receipt, world.simulate(call)));
        }
        JournalEntry::CodeSet(account, code) => world.set_code(*account, code.clone()),
        JournalEntry::StorageSet(account, slot, value) => {
            world.set_storage(*account, *slot, *value)
        }
        JournalEntry::TimeSet(seconds) => world.set_time(*seconds),
        JournalEntry::ChainIdSet(chain_id) => world.set_chain_id(*chain_id),
    }
    None
}

/// The bytecode determines when gas runs out.
const fn without_gas_limit(step: &mut Step) {
    step.variation.gas = None;
}

/// Compares the journals and the storage of two worlds. Returns the number of transactions.
fn compare_journals(our_world: &mut World, their_world: &mut World) -> Result<usize, String> {
    let (ours, theirs) = (our_world.take_journal(), their_world.take_journal());
    if ours.len() != theirs.len() {
        return Err(format!("{} and {} entries", ours.len(), theirs.len()));
    }
    let mut compared = 0;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let (call, receipt, their_call, their_receipt) = match (ours, theirs) {
            (JournalEntry::Sent(call, receipt), JournalEntry::Sent(their_call, their_receipt))
            | (
                JournalEntry::Simulated(call, receipt),
                JournalEntry::Simulated(their_call, their_receipt),
            ) => (call, receipt, their_call, their_receipt),
            _ if ours == theirs => continue,
            _ => return Err(format!("committed {ours:?}, built {theirs:?}")),
        };
        compared += 1;
        // Only the creation code may differ.
        if call.to.is_some() && call != their_call {
            return Err(format!("committed {ours:?}, built {theirs:?}"));
        }
        compare_outcomes(our_world, call, receipt, their_receipt)?;
    }
    compare_storage(our_world, their_world)?;
    Ok(compared)
}

fn compare_outcomes(
    world: &World,
    call: &Transaction,
    ours: &Receipt,
    theirs: &Receipt,
) -> Result<(), String> {
    if outcome(ours) == outcome(theirs) && ours.logs == theirs.logs {
        return Ok(());
    }
    Err(format!(
        "{}\n  committed    {ours:?}\n  built        {theirs:?}",
        world.names().call(&call.data)
    ))
}

fn compare_storage(ours: &World, theirs: &World) -> Result<(), String> {
    for account in ours.accounts().chain(theirs.accounts()) {
        if ours.storage(account) != theirs.storage(account) {
            return Err(format!(
                "{} has different storage",
                ours.names().of(account)
            ));
        }
    }
    Ok(())
}

/// The outcome without the reason of a halt.
fn outcome(receipt: &Receipt) -> Outcome {
    match &receipt.outcome {
        Outcome::Halted(_) => Outcome::Halted(String::new()),
        other => other.clone(),
    }
}
