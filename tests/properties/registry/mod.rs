//! The registry: whole sequences against the model, the invariants in the order of `contracts/test/invariant/README.md`, then
//! what has a name of its own.

mod access_answers;
mod gas;
mod ids;
mod invariants;
mod ladder;
mod reach;
mod sequences;
mod shrinking;
mod uris;

use acceptance::{
    form::Form,
    registry::{Act, Step},
};

/// A step in the usual way: whole calldata, no ether, plenty of gas.
fn plainly(act: Act) -> Step {
    Step {
        act,
        form: Form::default(),
    }
}

/// A step with so much gas beyond the least the chain accepts.
fn with_gas(act: Act, gas: u64) -> Step {
    Step {
        act,
        form: Form::with_gas(gas),
    }
}
