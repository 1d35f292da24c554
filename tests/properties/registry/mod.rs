//! Properties of the registry. The order of `invariants` is that of `contracts/test/invariant/README.md`.

mod gas;
mod ids;
mod invariants;
mod predicate_check;
mod predicate_responses;
mod reach;
mod sequences;
mod shrinking;
mod uris;

use acceptance::{
    registry::{Action, Step},
    variation::Variation,
};

/// A step with unchanged calldata, no value and the default gas limit.
fn plain(action: Action) -> Step {
    Step {
        action,
        variation: Variation::default(),
    }
}

/// A step with this much gas above the minimum.
fn with_gas(action: Action, gas: u64) -> Step {
    Step {
        action,
        variation: Variation::with_gas(gas),
    }
}
