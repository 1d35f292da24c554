//! How a property is tried: how often, from which seed, and what is printed when it does not hold.

use std::fmt;

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};

use crate::{report, surroundings::cases_are_chosen};

/// The seed of every run, so that a failure can be rerun. `PROPTEST_RNG_SEED` chooses another.
pub const SEED: u64 = 0x8257;

/// How often a failing input is made smaller, unless `PROPTEST_MAX_SHRINK_ITERS` says. A scenario of 40 steps takes thousands.
pub const SHRINK_TRIES: u32 = 20_000;

/// For how long at most, unless `PROPTEST_MAX_SHRINK_TIME` says: the runner ends a test that takes five minutes, and then
/// nothing is printed.
const SHRINK_MILLISECONDS: u32 = 60_000;

/// Tries a property on `cases` inputs, or on as many as `PROPTEST_CASES` says, and panics with the smallest input found
/// that breaks it. If the number was chosen, it says so, for `make deep` to read.
pub fn holds<S>(cases: u32, inputs: S, property: impl Fn(S::Value) -> Result<(), String>)
where
    S: Strategy,
    S::Value: fmt::Display,
{
    let config = settings(cases);
    let cases = config.cases;
    if let Some(told) = counterexample(config, inputs, property) {
        panic!("{told}");
    }
    if cases_are_chosen() {
        report(&format!("held on {cases} inputs"));
    }
}

/// How a property is tried. What the environment says goes first.
#[must_use]
pub fn settings(cases: u32) -> Config {
    let mut config = Config::default();
    if !cases_are_chosen() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    // proptest's own default: four times the cases.
    if config.max_shrink_iters == u32::MAX {
        config.max_shrink_iters = SHRINK_TRIES;
    }
    if config.max_shrink_time == 0 {
        config.max_shrink_time = SHRINK_MILLISECONDS;
    }
    config.failure_persistence = None;
    config
}

/// The smallest input found that breaks a property, and why it does; none if it holds.
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
    let tried = TestRunner::new(config).run(&inputs, |input| {
        property(input).map_err(TestCaseError::fail)
    });
    match tried {
        Ok(()) => None,
        Err(TestError::Fail(why, input)) => Some(format!(
            "does not hold ({seed:?}); smallest input that shows it:\n{input}\n\n{why}"
        )),
        Err(TestError::Abort(why)) => Some(format!("gave up ({seed:?}): {why}")),
    }
}
