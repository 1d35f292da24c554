//! The random scenarios reach every outcome, and use the gas ceilings.

use std::collections::BTreeMap;

use acceptance::{
    gas::GasUse,
    registry::{Machine, scenario},
};
use atr_harness::CodeSource;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

/// The number of cases of `sequences`.
const SCENARIOS: u32 = 600;

/// The minimum number of occurrences.
const TIMES: u32 = 3;

/// The outcomes of every call without variation.
const OUTCOMES: [(&str, &[&str]); 8] = [
    (
        "register",
        &[
            "ok",
            "InvalidMetadataURI",
            "InvalidManifestHash",
            "InvalidAccessPredicate",
        ],
    ),
    (
        "update",
        &[
            "ok",
            "unchanged",
            "InvalidMetadataURI",
            "InvalidManifestHash",
            "NotToolCreator",
            "ToolNotFound",
            "ToolIsDeregistered",
        ],
    ),
    (
        "set predicate",
        &[
            "ok",
            "unchanged",
            "InvalidAccessPredicate",
            "NotToolCreator",
            "ToolNotFound",
            "ToolIsDeregistered",
        ],
    ),
    (
        "deregister",
        &["ok", "NotToolCreator", "ToolNotFound", "ToolIsDeregistered"],
    ),
    ("read config", &["ok", "ToolNotFound", "ToolIsDeregistered"]),
    (
        "tryHasAccess",
        &["ok", "ToolNotFound", "ToolIsDeregistered"],
    ),
    ("hasAccess", &["ok", "ToolNotFound", "ToolIsDeregistered"]),
    ("read constant", &["ok"]),
];

/// The outcomes of every call with variations.
const VARIATIONS: [&str; 6] = [
    "mutated: ok",
    "mutated: revert without data",
    "with value: revert without data",
    "at the gas ceiling: ok",
    "below the gas ceiling: ok",
    "below the gas ceiling: out of gas",
];

/// The kinds of predicates and their results.
const RESULTS: [&str; 14] = [
    "open: Granted",
    "no code: Unknown",
    "precompile: Unknown",
    "Return: Granted",
    "Return: Denied",
    "Return: Unknown",
    "Revert: Unknown",
    "BurnGas: Unknown",
    "InvalidOpcode: Unknown",
    "WriteStorage: Unknown",
    "CallBack: Denied",
    "CheckGas: Granted",
    "HashCalldata: Granted",
    "HashCalldata: Denied",
];

#[test]
fn random_sequences_reach_every_outcome_and_use_the_gas_ceilings() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut gas_use = GasUse::default();
    let mut runner = TestRunner::deterministic();
    for _ in 0..SCENARIOS {
        let scenario = scenario(40).new_tree(&mut runner).expect("a scenario");
        let scenario = scenario.current();
        let mut machine = Machine::new(scenario.fork);
        let taken = machine.take_all(&scenario.steps);
        taken.expect("the property `sequences` holds");
        gas_use.merge(machine.gas_use);
        for (class, times) in machine.seen {
            *seen.entry(class).or_default() += times;
        }
    }
    let mut classes = RESULTS.map(str::to_owned).to_vec();
    for (call, outcomes) in OUTCOMES {
        classes.extend(outcomes.iter().map(|outcome| format!("{call}: {outcome}")));
        classes.extend(VARIATIONS.map(|variation| format!("{call}, {variation}")));
    }
    let rare = |class: &String| seen.get(class).copied().unwrap_or_default() < TIMES;
    // Constants use little more than the minimum gas.
    let is_constant = |class: &String| class.starts_with("read constant, below");
    classes.retain(|class| !is_constant(class) && rare(class));
    assert!(
        classes.is_empty(),
        "rare or missing: {classes:#?}\nfound: {seen:#?}"
    );
    // The ceilings are measured on the shipped bytecode.
    if CodeSource::from_environment() == CodeSource::Committed {
        let misjudged = gas_use.misjudged();
        assert!(misjudged.is_empty(), "{misjudged:#?}");
    }
}
