use acceptance::{
    anvil::Replay,
    property::holds,
    registry::{Cast, Machine, Scenario, steps},
    report,
};
use alloy_primitives::U256;
use atr_harness::{CodeSource, Contracts, Deed, Fork, Transaction, World};
use proptest::strategy::Strategy;
use std::cell::RefCell;

use crate::{
    scenes::{self, any_scene},
    tour,
};

#[test]
fn random_sequences_come_to_the_same_on_anvil_under_cancun() {
    compare_sequences(Fork::Cancun);
}

#[test]
fn random_sequences_come_to_the_same_on_anvil_under_prague() {
    compare_sequences(Fork::Prague);
}

#[test]
fn random_sequences_come_to_the_same_on_anvil_under_osaka() {
    compare_sequences(Fork::Osaka);
}

#[test]
fn random_scenarios_of_predicates_come_to_the_same_on_anvil_under_cancun() {
    compare_scenes(Fork::Cancun);
}

#[test]
fn random_scenarios_of_predicates_come_to_the_same_on_anvil_under_prague() {
    compare_scenes(Fork::Prague);
}

#[test]
fn random_scenarios_of_predicates_come_to_the_same_on_anvil_under_osaka() {
    compare_scenes(Fork::Osaka);
}

#[test]
fn every_predicate_answers_the_same_on_anvil_under_every_fork() {
    for fork in Fork::ALL {
        let mut world = tour::beginning(fork);
        let mut replay = Replay::start(fork, &world).unwrap();
        world = tour::take(world, &CodeSource::from_environment());
        let journal = world.take_journal();
        replay.follow(&world, &journal).unwrap();
        report(&format!("tour, {fork}: {}", replay.tally()));
    }
}

#[test]
fn an_anvil_that_runs_by_other_rules_is_told_apart() {
    let mut world = World::new(Fork::Cancun);
    let mut replay = Replay::start(Fork::Prague, &world).unwrap();
    world.keep_journal();
    let (from, to) = (world.actor("alice"), world.actor("bob"));
    world.send(&Transaction::raw(from, to, vec![1; 100]));
    let journal = world.take_journal();
    let difference = replay.follow(&world, &journal).unwrap_err();
    assert!(difference.contains("gas on anvil"), "{difference}");
}

#[test]
fn a_slot_that_only_anvil_has_is_told_apart() {
    let mut world = World::new(Fork::Cancun);
    let mut replay = Replay::start(Fork::Cancun, &world).unwrap();
    world.keep_journal();
    let registry = Contracts::install(&mut world, &CodeSource::Committed).registry;
    let mut journal = world.take_journal();
    let far_away = U256::from(1) << 200;
    journal.push(Deed::StorageSet(registry, far_away, U256::from(7)));
    let difference = replay.follow(&world, &journal).unwrap_err();
    assert!(difference.contains("of ToolRegistry"), "{difference}");
}

/// All ten contracts and the mocks are deployed on both; then every sequence starts from there.
fn compare_sequences(fork: Fork) {
    let mut world = World::new(fork);
    let mut replay = Replay::start(fork, &world).expect("anvil starts");
    world.keep_journal();
    let cast = Cast::install(&mut world, &CodeSource::from_environment());
    let journal = world.take_journal();
    replay
        .follow(&world, &journal)
        .expect("everything is deployed alike");

    let replay = RefCell::new(replay);
    let scenarios = steps(60).prop_map(|steps| Scenario { fork, steps });
    holds(48, scenarios, |scenario| {
        let mut machine = Machine::on(world.clone(), cast.clone());
        machine.world.keep_journal();
        machine
            .take_all(&scenario.steps)
            .map_err(|mismatch| mismatch.what)?;
        let journal = machine.world.take_journal();
        replay.borrow_mut().follow_once(&machine.world, &journal)
    });
    report(&format!("{fork}: {}", replay.borrow().tally()));
}

/// The same with everyone the predicates need.
fn compare_scenes(fork: Fork) {
    let mut replay = Replay::start(fork, &World::new(fork)).expect("anvil starts");
    let (cast, journal) = scenes::gather(fork, &CodeSource::from_environment());
    replay
        .follow(&cast.world, &journal)
        .expect("everything is deployed alike");

    let replay = RefCell::new(replay);
    holds(48, any_scene(), |scene| {
        let (world, journal) = scene.play(&cast)?;
        replay.borrow_mut().follow_once(&world, &journal)
    });
    report(&format!("predicates, {fork}: {}", replay.borrow().tally()));
}
