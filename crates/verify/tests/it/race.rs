use alloy_primitives::{Address, B256};
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Check, CheckResult, Status};

use crate::world::{World, config, hash_of, manifest};

fn served() -> (B256, String) {
    let text = manifest().to_string();
    (hash_of(&text), text)
}

/// A registry that answers this, then that, and so on; what is served stays.
fn world(states: impl IntoIterator<Item = ToolState>) -> World {
    let (_, text) = served();
    World::with_web(states, move || Ok(text.clone().into_bytes()))
}

fn live(config: ToolConfig) -> ToolState {
    ToolState::Live(config)
}

#[test]
fn an_update_between_read_and_fetch_is_seen_by_the_second_look() {
    // H-16
    let world = world([live(config(B256::repeat_byte(1))), live(config(served().0))]);
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Verified);
    assert!(verdict.evidence().read_twice);
    assert_eq!(verdict.evidence().onchain_hash, Some(served().0));
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn a_second_mismatch_is_final() {
    // H-15, H-16
    let always_another = (1..9).map(|byte| live(config(B256::repeat_byte(byte))));
    let world = world(always_another);
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Unverified);
    assert_eq!(verdict.failing(), Some(Check::Hash));
    assert_eq!(verdict.failure().unwrap().code, "hash-mismatch");
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn bytes_from_where_the_registry_no_longer_points_are_not_accepted() {
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
        "the caller may start over"
    );
    assert_eq!(verdict.failure().unwrap().code, "moved-meanwhile");
    assert!(verdict.into_verified().is_err());
    assert_eq!((world.reads(), world.requests()), (2, 1));
}

#[test]
fn what_stands_in_the_way_before_the_move_does_not_count_after_it() {
    // T-35
    let there = "https://new.example/.well-known/ai-tool/oracle.json";
    let mut text = manifest();
    text["endpoint"] = "https://new.example/oracle".into();
    let text = text.to_string();
    let after = ToolConfig {
        metadata_uri: there.to_owned(),
        ..config(hash_of(&text))
    };
    let states = [live(config(B256::repeat_byte(1))), live(after)];
    let verdict = World::with_web(states, move || Ok(text.clone().into_bytes())).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert_eq!(verdict.failing(), Some(Check::Hash));
}

#[test]
fn a_node_that_falls_silent_leaves_the_mismatch_standing() {
    // H-16
    let silent = [Some(live(config(B256::repeat_byte(1)))), None];
    let (_, text) = served();
    let world = World::with_web(silent, move || Ok(text.clone().into_bytes()));
    let verdict = world.verify();
    assert_eq!(verdict.status(), Status::Unverified);
    assert_eq!(verdict.failure().unwrap().code, "hash-mismatch");
    assert!(!verdict.evidence().read_twice);
}

#[test]
fn a_node_that_is_behind_settles_nothing() {
    let behind = [
        live(config(B256::repeat_byte(1))),
        ToolState::NeverRegistered,
    ];
    let verdict = world(behind).verify();
    assert_eq!(verdict.status(), Status::Unknown);
    assert_eq!(verdict.failure().unwrap().code, "registry-behind");
}

#[test]
fn a_tool_removed_meanwhile_is_not_accepted() {
    // H-17, T-35
    let verdict = world([live(config(B256::repeat_byte(1))), ToolState::Deregistered]).verify();
    assert_eq!(verdict.status(), Status::Deregistered);
    assert!(verdict.into_verified().is_err());
}

#[test]
fn the_creator_of_the_second_look_is_the_one_that_counts() {
    let other = ToolConfig {
        creator: Address::repeat_byte(9),
        ..config(served().0)
    };
    let verdict = world([live(config(B256::repeat_byte(1))), live(other)]).verify();
    assert_eq!(verdict.failing(), Some(Check::Creator));
}

#[test]
fn what_is_right_at_once_is_not_read_twice() {
    let world = world([live(config(served().0))]);
    let verdict = world.verify();
    assert!(matches!(
        verdict.check(Check::Hash),
        CheckResult::Passed { .. }
    ));
    assert_eq!((world.reads(), world.requests()), (1, 1));
}
