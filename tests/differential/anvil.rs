use acceptance::{
    anvil::Replay,
    property::holds,
    registry::{Actors, Machine, Scenario, steps},
    report,
};
use alloy_primitives::U256;
use atr_harness::{CodeSource, Contracts, Fork, JournalEntry, Transaction, World};
use proptest::strategy::Strategy;
use std::cell::RefCell;

use crate::scenarios::{self, any_journaled_scenario};

#[test]
fn random_sequences_match_anvil_under_cancun() {
    compare_sequences(Fork::Cancun);
}

#[test]
fn random_sequences_match_anvil_under_prague() {
    compare_sequences(Fork::Prague);
}

#[test]
fn random_sequences_match_anvil_under_osaka() {
    compare_sequences(Fork::Osaka);
}

#[test]
fn random_predicate_scenarios_match_anvil_under_cancun() {
    compare_predicate_scenarios(Fork::Cancun);
}

#[test]
fn random_predicate_scenarios_match_anvil_under_prague() {
    compare_predicate_scenarios(Fork::Prague);
}

#[test]
fn random_predicate_scenarios_match_anvil_under_osaka() {
    compare_predicate_scenarios(Fork::Osaka);
}

#[test]
fn detects_an_anvil_with_other_rules() {
    let mut world = World::new(Fork::Cancun);
    let mut replay = Replay::start(Fork::Prague, &world).unwrap();
    world.start_journal();
    let (from, to) = (world.actor("alice"), world.actor("bob"));
    world.send(&Transaction::raw(from, to, vec![1; 100]));
    let journal = world.take_journal();
    let difference = replay.replay(&world, &journal).unwrap_err();
    assert!(difference.contains("gas on anvil"), "{difference}");
}

#[test]
fn detects_a_slot_that_only_anvil_has() {
    let mut world = World::new(Fork::Cancun);
    let mut replay = Replay::start(Fork::Cancun, &world).unwrap();
    world.start_journal();
    let registry = Contracts::deploy(&mut world, &CodeSource::Committed).registry;
    let mut journal = world.take_journal();
    let slot = U256::from(1) << 200;
    journal.push(JournalEntry::StorageSet(registry, slot, U256::from(7)));
    let difference = replay.replay(&world, &journal).unwrap_err();
    assert!(difference.contains("of ToolRegistry"), "{difference}");
}

/// Deploys all contracts and mocks on both chains and replays random scenarios.
fn compare_sequences(fork: Fork) {
    let mut world = World::new(fork);
    let mut replay = Replay::start(fork, &world).expect("anvil starts");
    world.start_journal();
    let actors = Actors::deploy_in(&mut world, &CodeSource::from_environment());
    let journal = world.take_journal();
    replay
        .replay(&world, &journal)
        .expect("the deployments match");

    let replay = RefCell::new(replay);
    let scenarios = steps(60).prop_map(|steps| Scenario { fork, steps });
    holds(48, scenarios, |scenario| {
        let mut machine = Machine::in_world(world.clone(), actors.clone());
        machine.world.start_journal();
        machine
            .take_all(&scenario.steps)
            .map_err(|mismatch| mismatch.difference)?;
        let journal = machine.world.take_journal();
        replay
            .borrow_mut()
            .replay_and_revert(&machine.world, &journal)
    });
    report(&format!("{fork}: {}", replay.borrow().counts()));
}

/// Like [`compare_sequences`], with predicates and tokens.
fn compare_predicate_scenarios(fork: Fork) {
    let mut replay = Replay::start(fork, &World::new(fork)).expect("anvil starts");
    let (actors, journal) = scenarios::deploy(fork, &CodeSource::from_environment());
    replay
        .replay(&actors.world, &journal)
        .expect("the deployments match");

    let replay = RefCell::new(replay);
    holds(48, any_journaled_scenario(), |scenario| {
        let (world, journal) = scenario.run(&actors)?;
        replay.borrow_mut().replay_and_revert(&world, &journal)
    });
    report(&format!("predicates, {fork}: {}", replay.borrow().counts()));
}
