use acceptance::registry::{Machine, scenario};

use crate::property::holds;

#[test]
fn every_call_does_what_the_model_says_and_leaves_the_storage_it_draws() {
    holds(600, scenario(40), |scenario| Machine::run(&scenario));
}
