//! Runs properties with proptest.

use std::fmt;

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};

use crate::{environment::has_case_count, report};

/// The default seed, fixed so that a failure can be reproduced. `PROPTEST_RNG_SEED` overrides it.
pub const SEED: u64 = 0x8257;

/// The default limit of shrink iterations. `PROPTEST_MAX_SHRINK_ITERS` overrides it. A scenario of 40 steps takes thousands.
pub const SHRINK_ITERATIONS: u32 = 20_000;

/// The default limit of the shrink time. `PROPTEST_MAX_SHRINK_TIME` overrides it. nextest kills a test after five minutes, without
/// output.
const SHRINK_MILLISECONDS: u32 = 60_000;

/// Runs a property on `cases` inputs, or `PROPTEST_CASES` if set, and panics with the smallest counterexample found. Reports the
/// number if it was set, for `make deep`.
pub fn holds<S>(cases: u32, inputs: S, property: impl Fn(S::Value) -> Result<(), String>)
where
    S: Strategy,
    S::Value: fmt::Display,
{
    let config = config(cases);
    let cases = config.cases;
    if let Some(found) = counterexample(config, inputs, property) {
        panic!("{found}");
    }
    if has_case_count() {
        report(&format!("held on {cases} inputs"));
    }
}

/// The proptest configuration. Environment variables take precedence.
#[must_use]
pub fn config(cases: u32) -> Config {
    let mut config = Config::default();
    if !has_case_count() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    // The value that proptest replaces by four times the cases.
    if config.max_shrink_iters == u32::MAX {
        config.max_shrink_iters = SHRINK_ITERATIONS;
    }
    if config.max_shrink_time == 0 {
        config.max_shrink_time = SHRINK_MILLISECONDS;
    }
    config.failure_persistence = None;
    config
}

/// The smallest counterexample found and the reason; none if the property holds.
pub fn counterexample<S>(
    config: Config,
    inputs: S,
    property: impl Fn(S::Value) -> Result<(), String>,
) -> Option<String>
where
    S: Strategy,
    S::Value: fmt::Display,
{
    let seed = config.rng_seed;
    let result = TestRunner::new(config).run(&inputs, |input| {
        property(input).map_err(TestCaseError::fail)
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(why, input)) => Some(format!(
            "does not hold ({seed:?}); smallest counterexample:\n{input}\n\n{why}"
        )),
        Err(TestError::Abort(why)) => Some(format!("gave up ({seed:?}): {why}")),
    }
}
