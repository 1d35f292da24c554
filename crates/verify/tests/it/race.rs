use alloy_primitives::{Address, B256};
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Check, CheckResult, Status};

use crate::world::{World, canonical_hash, config, manifest};

fn served() -> (B256, String) {
    let text = manifest().to_string();
    (canonical_hash(&text), text)
}

/// A world with these registry states and a constant manifest.
fn world(states: impl IntoIterator<Item = ToolState>) -> World {
    let (_, text) = served();
    World::with_response(states, move || Ok(text.clone().into_bytes()))
}

fn live(config: ToolConfig) -> ToolState {
    ToolState::Live(config)
}

#[test]
fn rereads_the_registry_after_a_hash_mismatch() {
    // H-16
    let world = world([live(config(B256::repeat_byte(1))), live(config(served().0))]);
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Verified);
    assert!(verdict.evidence().read_twice);
    assert_eq!(verdict.evidence().registered_hash, Some(served().0));
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn a_second_mismatch_is_final() {
    // H-15, H-16
    let always_different = (1..9).map(|byte| live(config(B256::repeat_byte(byte))));
    let world = world(always_different);
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Failed);
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert_eq!(verdict.failure().unwrap().code, "hash-mismatch");
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn rejects_bytes_from_a_replaced_metadata_uri() {
    // H-17, T-35
    let elsewhere = ToolConfig {
        metadata_uri: "https://tools.example.com/.well-known/ai-tool/moved.json".to_owned(),
        ..config(served().0)
    };
    let world = world([live(config(B256::repeat_byte(1))), live(elsewhere)]);
    let verdict = world.verify();
    assert_eq!(
        verdict.status(),
        Status::Unknown,
        "the caller may verify again"
    );
    assert_eq!(verdict.failure().unwrap().code, "metadata-uri-changed");
    assert!(verdict.into_verified().is_err());
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn discards_check_results_of_a_replaced_metadata_uri() {
    // T-35
    let new_uri = "https://new.example/.well-known/ai-tool/oracle.json";
    let mut text = manifest();
    text["endpoint"] = "https://new.example/oracle".into();
    let text = text.to_string();
    let after = ToolConfig {
        metadata_uri: new_uri.to_owned(),
        ..config(canonical_hash(&text))
    };
    let states = [live(config(B256::repeat_byte(1))), live(after)];
    let verdict = World::with_response(states, move || Ok(text.clone().into_bytes())).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert_eq!(verdict.failing(), Some(Check::Hash));
}

#[test]
fn reports_the_mismatch_if_the_registry_cannot_be_reread() {
    // H-16
    let states = [Some(live(config(B256::repeat_byte(1)))), None];
    let (_, text) = served();
    let world = World::with_response(states, move || Ok(text.clone().into_bytes()));
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Failed);
    assert_eq!(verdict.failure().unwrap().code, "hash-mismatch");
    assert!(!verdict.evidence().read_twice);
}

#[test]
fn a_node_that_is_behind_makes_the_result_unknown() {
    let behind = [
        live(config(B256::repeat_byte(1))),
        ToolState::NeverRegistered,
    ];
    let verdict = world(behind).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert_eq!(verdict.failure().unwrap().code, "node-behind");
}

#[test]
fn reports_a_tool_deregistered_during_verification() {
    // H-17, T-35
    let verdict = world([live(config(B256::repeat_byte(1))), ToolState::Deregistered]).verify();
    assert_eq!(verdict.status(), Status::Deregistered);
    assert!(verdict.into_verified().is_err());
}

#[test]
fn uses_the_creator_of_the_second_read() {
    let other = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(served().0)
    };
    let verdict = world([live(config(B256::repeat_byte(1))), live(other)]).verify();
    assert_eq!(verdict.failing(), Some(Check::Creator));
}

#[test]
fn a_match_is_not_read_twice() {
    let world = world([live(config(served().0))]);
    let verdict = world.verify();
    assert!(matches!(
        verdict.check(Check::Hash),
        CheckResult::Passed { .. }
    ));
    assert_eq!((world.reads(), world.requests()), (1, 1));
}
