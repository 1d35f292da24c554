use acceptance::{
    pipeline::Pipeline,
    property::holds,
    registry::{Cast, Machine, Scenario, Step, steps},
    report,
};
use alloy_primitives::Address;
use atr_bindings::CONTRACTS;
use atr_harness::{CodeSource, Deed, Fork, Outcome, Receipt, World};
use proptest::strategy::Strategy;
use std::cell::Cell;

use crate::tour;

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

/// The tour and random sequences on the bytes we ship and on those of another pipeline. Only the gas may differ.
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
    let mut accounts = Vec::new();
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
        accounts.extend(account(call.to, receipt));
        // Code that is created is another, and nothing else.
        let is_alike = call.to.is_none() || call == their_call;
        if !is_alike || end(receipt) != end(their_receipt) || receipt.logs != their_receipt.logs {
            return Err(format!(
                "{}\n  as shipped   {receipt:?}\n  otherwise    {their_receipt:?}",
                one.names().call(&call.data)
            ));
        }
    }
    for account in accounts {
        if one.storage(account) != other.storage(account) {
            return Err(format!("{} has other storage", one.names().of(account)));
        }
    }
    Ok(compared)
}

fn account(to: Option<Address>, receipt: &Receipt) -> Option<Address> {
    match receipt.outcome {
        Outcome::Created(address) => Some(address),
        _ => to,
    }
}

/// How it ended; of a halt no more than that it did.
fn end(receipt: &Receipt) -> Outcome {
    match &receipt.outcome {
        Outcome::Halted(_) => Outcome::Halted(String::new()),
        other => other.clone(),
    }
}
