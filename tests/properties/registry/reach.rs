//! Random sequences lead everywhere: a property says nothing about a state it never meets.

use std::collections::BTreeMap;

use acceptance::registry::{Machine, scenario};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

/// As many as `sequences` tries.
const SCENARIOS: u32 = 600;

/// How often at least.
const TIMES: u32 = 3;

/// Every call and every way it can end, made in the usual way.
const ENDS: [(&str, &[&str]); 8] = [
    (
        "register",
        &[
            "done",
            "InvalidMetadataURI",
            "InvalidManifestHash",
            "InvalidAccessPredicate",
        ],
    ),
    (
        "update",
        &[
            "done",
            "as it was",
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
            "done",
            "as it was",
            "InvalidAccessPredicate",
            "NotToolCreator",
            "ToolNotFound",
            "ToolIsDeregistered",
        ],
    ),
    (
        "deregister",
        &[
            "done",
            "NotToolCreator",
            "ToolNotFound",
            "ToolIsDeregistered",
        ],
    ),
    (
        "read config",
        &["done", "ToolNotFound", "ToolIsDeregistered"],
    ),
    ("ask", &["done", "ToolNotFound", "ToolIsDeregistered"]),
    (
        "ask plainly",
        &["done", "ToolNotFound", "ToolIsDeregistered"],
    ),
    ("read constant", &["done"]),
];

/// The other forms of every call, and how it must have ended in them.
const FORMS: [&str; 6] = [
    "damaged: done",
    "damaged: refused without a word",
    "with ether: refused without a word",
    "with enough gas: done",
    "with little gas: done",
    "with little gas: starved",
];

/// Who was asked about access, and what was the answer.
const ANSWERS: [&str; 14] = [
    "nobody says Yes",
    "no code says Unknown",
    "a precompile says Unknown",
    "Returns says Yes",
    "Returns says No",
    "Returns says Unknown",
    "Reverts says Unknown",
    "BurnsGas says Unknown",
    "IsInvalid says Unknown",
    "Writes says Unknown",
    "AsksBack says No",
    "CountsGas says Yes",
    "ReadsQuestion says Yes",
    "ReadsQuestion says No",
];

#[test]
fn random_sequences_reach_every_way_a_call_can_end() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut runner = TestRunner::deterministic();
    for _ in 0..SCENARIOS {
        let scenario = scenario(40).new_tree(&mut runner).expect("a scenario");
        let scenario = scenario.current();
        let mut machine = Machine::new(scenario.fork);
        let taken = machine.take_all(&scenario.steps);
        taken.expect("the property of sequences holds");
        for (class, times) in machine.seen {
            *seen.entry(class).or_default() += times;
        }
    }
    let mut classes = ANSWERS.map(str::to_owned).to_vec();
    for (call, ends) in ENDS {
        classes.extend(ends.iter().map(|end| format!("{call}: {end}")));
        classes.extend(FORMS.map(|form| format!("{call}, {form}")));
    }
    let rare = |class: &String| seen.get(class).copied().unwrap_or_default() < TIMES;
    // These take next to no gas.
    classes.retain(|class| class != "read constant, with little gas: starved" && rare(class));
    assert!(
        classes.is_empty(),
        "seldom or never: {classes:#?}\nof these: {seen:#?}"
    );
}
