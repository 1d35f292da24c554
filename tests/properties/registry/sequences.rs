use acceptance::registry::{Machine, scenario};

use acceptance::property::holds;

#[test]
fn every_call_and_all_storage_match_the_model() {
    holds(600, scenario(40), |scenario| Machine::run(&scenario));
}
