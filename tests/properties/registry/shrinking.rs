//! What is printed when a property does not hold: shown on one that is false.

use acceptance::{
    property::{SEED, SHRINK_TRIES, counterexample},
    registry::{Machine, scenario},
};
use proptest::test_runner::{Config, RngSeed};

/// Two are enough: a registration, and what breaks the property.
const MOST_STEPS: usize = 3;

#[test]
fn a_property_that_does_not_hold_ends_in_a_few_steps_told_by_names_with_a_trace() {
    // Whatever the environment says: this must be found, and made small.
    let config = Config {
        cases: 256,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters: SHRINK_TRIES,
        max_shrink_time: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let nobody_ever_deregisters = counterexample(config, scenario(40), |scenario| {
        let mut machine = Machine::new(scenario.fork);
        for (index, step) in scenario.steps.iter().enumerate() {
            machine.take(step)?;
            if machine.model.tools().contains(&None) {
                let before = Machine::after(&scenario.steps[..index], scenario.fork);
                return Err(format!("a tool is gone{}", before.trace(step)));
            }
        }
        Ok(())
    });
    let told = nobody_ever_deregisters.expect("somebody does");
    let (scenario, why) = told.split_once("\n\n").expect("a scenario, and why");
    // Behind what does not hold, and the fork.
    let steps: Vec<_> = scenario.lines().skip(2).collect();
    assert!(steps.len() <= MOST_STEPS, "{told}");
    let first = "alice calls registerTool { metadataURI: \"";
    let last = "alice calls deregisterTool { toolId: 1 }";
    assert!(steps[0].contains(first), "{told}");
    assert!(steps[steps.len() - 1].contains(last), "{told}");
    for part in [
        "a tool is gone",
        "call ToolRegistry",
        "ToolRegistry logs ToolDeregistered { toolId: 1 }",
    ] {
        assert!(why.contains(part), "{part} is missing:\n{told}");
    }
}
