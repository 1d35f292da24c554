//! Random scenarios of the nine predicates, with a journal.

use std::fmt;

use acceptance::variation::Variation;
use atr_bindings::IAccessPredicate::getRequirementsCall;
use atr_harness::{CodeSource, Fork, JournalEntry, Transaction, World};
use proptest::strategy::Strategy;

use crate::predicates::{
    actors::Actors,
    fixture::Fixture,
    scenario::{Scenario, any_scenario},
    step::{AccessTarget, Step, TermGas, Terms, pick},
};

/// The maximum number of steps after the first ones.
const MAX_STEPS: usize = 40;

pub(crate) fn any_journaled_scenario() -> impl Strategy<Value = JournaledScenario> {
    any_scenario(MAX_STEPS).prop_map(|scenario| JournaledScenario {
        scenario,
        is_for_other_bytecode: false,
    })
}

#[derive(Clone, Debug)]
pub(crate) struct JournaledScenario {
    scenario: Scenario,
    is_for_other_bytecode: bool,
}

impl fmt::Display for JournaledScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scenario.fmt(f)
    }
}

/// Deploys all actors and returns the journal of the deployment.
pub(crate) fn deploy(fork: Fork, code: &CodeSource) -> (Actors, Vec<JournalEntry>) {
    let mut world = World::new(fork);
    world.start_journal();
    let mut actors = Actors::deploy_in(world, code).after_deregistrations(254);
    let journal = actors.world.take_journal();
    (actors, journal)
}

/// Whether the step calls `getRequirements` of a composite with a term that may run out of gas. The result then depends on the
/// bytecode.
fn depends_on_bytecode(fixture: &Fixture<'_>, step: &Step, variation: &Variation) -> bool {
    let Step::GetRequirements { predicate, tool } = *step else {
        return false;
    };
    let call = getRequirementsCall {
        toolId: fixture.tool(tool),
    };
    let to = pick(predicate, &fixture.actors.predicates());
    let transaction = Transaction::call(fixture.actors.eoa, to, &call);
    let transaction = variation.apply(transaction);
    fixture.lockstep.model.shortage(&transaction).of_stipend
}

impl JournaledScenario {
    /// Removes gas limits, chosen stipends, and `hasAccess` of the registry, which turns unknown into false.
    pub(crate) fn without_gas_limits(mut self) -> Self {
        self.is_for_other_bytecode = true;
        for (step, variation) in &mut self.scenario.steps {
            variation.gas = None;
            match step {
                Step::CheckAccess { target, .. } if matches!(target, AccessTarget::HasAccess) => {
                    *target = AccessTarget::TryHasAccess;
                }
                Step::SetComposition {
                    terms: Terms::Clauses(_, gas),
                    ..
                } => *gas = TermGas::Default,
                _ => {}
            }
        }
        self
    }

    /// Runs the scenario on the fork of the actors and returns the world and its journal.
    pub(crate) fn run(&self, actors: &Actors) -> Result<(World, Vec<JournalEntry>), String> {
        let mut world = actors.world.clone();
        world.start_journal();
        let mut fixture = Fixture::new_in(world, actors);
        fixture.limits_gas &= !self.is_for_other_bytecode;
        for (step, variation) in &self.scenario.steps {
            if !(self.is_for_other_bytecode && depends_on_bytecode(&fixture, step, variation)) {
                fixture.execute(step, variation)?;
            }
        }
        let mut world = fixture.lockstep.world;
        let journal = world.take_journal();
        Ok((world, journal))
    }
}
