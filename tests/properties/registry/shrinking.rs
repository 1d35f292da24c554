//! The output of a failing property, shown on a false one.

use acceptance::{
    property::{SEED, SHRINK_ITERATIONS, counterexample},
    registry::{Machine, scenario},
};
use proptest::test_runner::{Config, RngSeed};

/// A registration and a deregistration are enough.
const MAX_STEPS: usize = 3;

#[test]
fn a_counterexample_is_short_and_has_names_and_a_trace() {
    // Independent of the environment.
    let config = Config {
        cases: 256,
        rng_seed: RngSeed::Fixed(SEED),
        max_shrink_iters: SHRINK_ITERATIONS,
        max_shrink_time: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let found = counterexample(config, scenario(40), |scenario| {
        let mut machine = Machine::new(scenario.fork);
        for (index, step) in scenario.steps.iter().enumerate() {
            machine.take(step)?;
            if machine.model.tools().contains(&None) {
                let before = Machine::after(&scenario.steps[..index], scenario.fork);
                return Err(format!("a tool is deregistered{}", before.trace(step)));
            }
        }
        Ok(())
    });
    let found = found.expect("some scenario deregisters a tool");
    let (scenario, why) = found.split_once("\n\n").expect("a scenario and a reason");
    // After the headline and the fork.
    let steps: Vec<_> = scenario.lines().skip(2).collect();
    assert!(steps.len() <= MAX_STEPS, "{found}");
    let first = "alice calls registerTool { metadataURI: \"";
    let last = "alice calls deregisterTool { toolId: 1 }";
    assert!(steps[0].contains(first), "{found}");
    assert!(steps[steps.len() - 1].contains(last), "{found}");
    for part in [
        "a tool is deregistered",
        "call ToolRegistry",
        "ToolRegistry emits ToolDeregistered { toolId: 1 }",
    ] {
        assert!(why.contains(part), "{part} is missing:\n{found}");
    }
}
