use acceptance::{
    pipeline::Pipeline,
    property::holds,
    registry::{Cast, Machine, Scenario, Step, steps},
    report,
};
use atr_bindings::CONTRACTS;
use atr_harness::{CodeSource, Deed, Fork, Outcome, Receipt, Transaction, World};
use proptest::strategy::Strategy;
use std::cell::Cell;

use crate::{
    scenes::{self, any_scene},
    tour,
};

#[test]
fn the_legacy_pipeline_makes_contracts_that_do_the_same() {
    compare(Pipeline::Legacy);
}

#[test]
fn the_legacy_pipeline_without_optimizer_makes_contracts_that_do_the_same() {
    compare(Pipeline::LegacyUnoptimized);
}

#[test]
fn the_ir_pipeline_without_optimizer_makes_contracts_that_do_the_same() {
    compare(Pipeline::IrUnoptimized);
}

/// The tour, random scenarios and random sequences on the bytes we ship and on those of another pipeline. Only the gas may differ.
fn compare(pipeline: Pipeline) {
    let (ours, theirs) = (
        CodeSource::Committed,
        pipeline.build().expect("forge builds the contracts"),
    );
    for contract in CONTRACTS {
        let (one, other) = (ours.creation_of(contract), theirs.creation_of(contract));
        assert_ne!(one, other, "{} was not compiled otherwise", contract.name());
    }

    let fork = Fork::Cancun;
    let [mut one, mut other] = [&ours, &theirs].map(|code| tour::take(tour::beginning(fork), code));
    let compared = Cell::new(same(&mut one, &mut other).expect("the tour is the same"));

    compare_scenes(fork, [&ours, &theirs], &compared);

    let [ours, theirs] = [&ours, &theirs].map(|code| Cast::assemble(fork, code));
    let scenarios = steps(60).prop_map(|mut steps| {
        steps.iter_mut().for_each(with_plenty_of_gas);
        Scenario { fork, steps }
    });
    holds(40, scenarios, |scenario| {
        let taken = |(world, cast): &(World, Cast)| {
            let mut machine = Machine::on(world.clone(), cast.clone());
            machine.world.keep_journal();
            let taken = machine.take_all(&scenario.steps);
            taken
                .map(|()| machine.world)
                .map_err(|mismatch| mismatch.what)
        };
        let more = same(&mut taken(&ours)?, &mut taken(&theirs)?)?;
        compared.set(compared.get() + more);
        Ok(())
    });
    report(&format!(
        "{pipeline:?}: {} transactions compared",
        compared.get()
    ));
}

/// Scenarios of predicates, played on the bytes we ship and then done again, deed by deed, on the others.
fn compare_scenes(fork: Fork, [ours, theirs]: [&CodeSource; 2], compared: &Cell<usize>) {
    let [(ours, _), (theirs, _)] = [ours, theirs].map(|code| scenes::gather(fork, code));
    holds(60, any_scene(), |scene| {
        let (world, journal) = scene.with_plenty_of_gas().play(&ours)?;
        let mut other = theirs.world.clone();
        for deed in &journal {
            if let Some((call, receipt, theirs)) = repeat(&mut other, deed) {
                compared.set(compared.get() + 1);
                same_end(&world, call, receipt, &theirs)?;
            }
        }
        same_storage(&world, &other)
    });
}

/// Does a deed in another world; of a call, what came of it there and here.
fn repeat<'a>(
    world: &mut World,
    deed: &'a Deed,
) -> Option<(&'a Transaction, &'a Receipt, Receipt)> {
    match deed {
        Deed::Sent(call, receipt) => return Some((call, receipt, world.send(call))),
        Deed::TriedOut(call, receipt) => return Some((call, receipt, world.try_out(call))),
        Deed::CodeSet(account, code) => world.set_code(*account, code.clone()),
        Deed::StorageSet(account, slot, value) => world.set_storage(*account, *slot, *value),
        Deed::TimeSet(seconds) => world.set_time(*seconds),
        Deed::ChainIdSet(chain_id) => world.set_chain_id(*chain_id),
    }
    None
}

/// How much gas is short depends on who compiled.
const fn with_plenty_of_gas(step: &mut Step) {
    step.form.gas = None;
}

/// How many transactions did the same in both worlds, if all did.
fn same(one: &mut World, other: &mut World) -> Result<usize, String> {
    let (ours, theirs) = (one.take_journal(), other.take_journal());
    if ours.len() != theirs.len() {
        return Err(format!("{} deeds and {}", ours.len(), theirs.len()));
    }
    let mut compared = 0;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let (call, receipt, their_call, their_receipt) = match (ours, theirs) {
            (Deed::Sent(call, receipt), Deed::Sent(their_call, their_receipt))
            | (Deed::TriedOut(call, receipt), Deed::TriedOut(their_call, their_receipt)) => {
                (call, receipt, their_call, their_receipt)
            }
            // The tour moves one of our contracts, and with it the code that its pipeline made.
            (Deed::CodeSet(one, _), Deed::CodeSet(other, _)) if one == other => continue,
            _ if ours == theirs => continue,
            _ => return Err(format!("as shipped {ours:?}, otherwise {theirs:?}")),
        };
        compared += 1;
        // Code that is created is another, and nothing else.
        if call.to.is_some() && call != their_call {
            return Err(format!("as shipped {ours:?}, otherwise {theirs:?}"));
        }
        same_end(one, call, receipt, their_receipt)?;
    }
    same_storage(one, other)?;
    Ok(compared)
}

fn same_end(
    world: &World,
    call: &Transaction,
    one: &Receipt,
    other: &Receipt,
) -> Result<(), String> {
    if end(one) == end(other) && one.logs == other.logs {
        return Ok(());
    }
    Err(format!(
        "{}\n  as shipped   {one:?}\n  otherwise    {other:?}",
        world.names().call(&call.data)
    ))
}

fn same_storage(one: &World, other: &World) -> Result<(), String> {
    for account in one.accounts().chain(other.accounts()) {
        if one.storage(account) != other.storage(account) {
            return Err(format!("{} has other storage", one.names().of(account)));
        }
    }
    Ok(())
}

/// How it ended; of a halt no more than that it did.
fn end(receipt: &Receipt) -> Outcome {
    match &receipt.outcome {
        Outcome::Halted(_) => Outcome::Halted(String::new()),
        other => other.clone(),
    }
}
