//! How a property is tried: how often, from which seed, and what is printed when it does not hold.

use std::fmt;

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};

use crate::surroundings::cases_are_chosen;

/// The seed of every run, so that a failure can be rerun. `PROPTEST_RNG_SEED` chooses another.
const SEED: u64 = 0x8257;

/// Tries a property on `cases` inputs, or on as many as `PROPTEST_CASES` says, and panics with the smallest input found
/// that breaks it.
pub fn holds<S>(cases: u32, inputs: S, property: impl Fn(S::Value) -> Result<(), String>)
where
    S: Strategy,
    S::Value: fmt::Display,
{
    let mut config = Config::default();
    if !cases_are_chosen() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config.failure_persistence = None;
    let seed = config.rng_seed;
    let tried = TestRunner::new(config).run(&inputs, |input| {
        property(input).map_err(TestCaseError::fail)
    });
    match tried {
        Ok(()) => {}
        Err(TestError::Fail(why, input)) => {
            panic!("does not hold ({seed:?}); smallest input that shows it:\n{input}\n\n{why}")
        }
        Err(TestError::Abort(why)) => panic!("gave up ({seed:?}): {why}"),
    }
}
