//! Random scenarios over the nine predicates, written down as they are played.

use std::fmt;

use acceptance::form::Form;
use atr_bindings::IAccessPredicate::getRequirementsCall;
use atr_harness::{CodeSource, Deed, Fork, Transaction, World};
use proptest::strategy::Strategy;

use crate::predicates::{
    cast::Cast,
    scenario::{Scenario, any_scenario},
    stage::Stage,
    step::{Step, Whom, pick},
};

/// How long a scenario gets after its beginning.
const LONGEST: usize = 40;

/// Scenarios about predicates, tokens and time.
pub(crate) fn any_scene() -> impl Strategy<Value = Scene> {
    any_scenario(LONGEST).prop_map(|scenario| Scene {
        scenario,
        is_for_other_bytes: false,
    })
}

/// One scenario.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    scenario: Scenario,
    is_for_other_bytes: bool,
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scenario.fmt(f)
    }
}

/// Everyone on the stage, and what was done to get there.
pub(crate) fn gather(fork: Fork, code: &CodeSource) -> (Cast, Vec<Deed>) {
    let mut world = World::new(fork);
    world.keep_journal();
    let mut cast = Cast::gather_in(world, code);
    let journal = cast.world.take_journal();
    (cast, journal)
}

/// Whether a composite is asked what it requires of which a term may lack gas. Then it depends on who compiled it how much is
/// told.
fn tells_by_its_gas(stage: &Stage<'_>, step: &Step, form: &Form) -> bool {
    let Step::AskRequirements { predicate, tool } = *step else {
        return false;
    };
    let call = getRequirementsCall {
        toolId: stage.tool(tool),
    };
    let to = pick(predicate, &stage.cast.predicates());
    let question = Transaction::call(stage.cast.nowhere, to, &call);
    let question = form.shape(question);
    stage.twin.model.supply(&question).terms_are_short
}

impl Scene {
    /// The same, but nobody is short of gas because of who compiled, or folds that into a no.
    pub(crate) fn with_plenty_of_gas(mut self) -> Self {
        self.is_for_other_bytes = true;
        for (step, form) in &mut self.scenario.steps {
            form.gas = None;
            match step {
                Step::Ask { whom, .. } if matches!(whom, Whom::RegistryFolded) => {
                    *whom = Whom::Registry;
                }
                Step::Compose { budget, .. } => *budget = None,
                _ => {}
            }
        }
        self
    }

    /// Plays it beside the models, on the fork of the cast, and gives the world back with its journal.
    pub(crate) fn play(&self, cast: &Cast) -> Result<(World, Vec<Deed>), String> {
        let mut world = cast.world.clone();
        world.keep_journal();
        let mut stage = Stage::open_in(world, cast);
        for (step, form) in &self.scenario.steps {
            if !(self.is_for_other_bytes && tells_by_its_gas(&stage, step, form)) {
                stage.play(step, form)?;
            }
        }
        let mut world = stage.twin.world;
        let journal = world.take_journal();
        Ok((world, journal))
    }
}
