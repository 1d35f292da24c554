use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use alloy_primitives::{Address, B256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use crate::stage::{Stage, address_of};

/// Five tools of two creators: one is gated, one is gone, one has a place that would repaint a terminal.
fn stage() -> Stage {
    let stage = Stage::new();
    let hash = B256::repeat_byte(1);
    stage.register(
        ACCOUNT,
        "https://a.example/.well-known/ai-tool/a.json",
        hash,
    );
    stage.register(
        ACCOUNTS[1],
        "https://b.example/.well-known/ai-tool/b.json",
        hash,
    );
    stage.register_gated(address_of("AlwaysDenyPredicate"));
    stage.register(ACCOUNTS[1], "https://d.example/\u{1b}[31m", hash);
    let last = stage.register(ACCOUNT, "https://e.example", hash);
    let call = IToolRegistry::deregisterToolCall { toolId: last };
    stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
    stage
}

fn ids(answer: &Value) -> Vec<&str> {
    let tools = answer["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect()
}

#[test]
fn tools_are_listed_by_id() {
    let stage = stage();
    insta::assert_snapshot!("all", stage.plain(&["tool", "list"]));
    let all = stage.plain_answer(&["tool", "list"], 0);
    assert_eq!(ids(&all), ["1", "2", "3", "4", "5"]);
    assert_eq!((&all["count"], &all["next"]), (&json!("5"), &Value::Null));
    assert_eq!(
        all["tools"][4],
        json!({ "id": "5", "tool": Stage::tool(5), "state": "deregistered" })
    );
    let of_one = stage.plain_answer(&["tool", "list", "--creator", ACCOUNT], 0);
    assert_eq!(ids(&of_one), ["1", "3"]);
    let page = stage.plain_answer(&["tool", "list", "--from", "2", "--limit", "2"], 0);
    assert_eq!((ids(&page), &page["next"]), (vec!["2", "3"], &json!("4")));
    insta::assert_snapshot!("page", stage.plain(&["tool", "list", "--limit", "1"]));
    let nobody = ["tool", "list", "--creator", ACCOUNTS[2]];
    insta::assert_snapshot!("nobody", stage.plain(&nobody));
    let nothing = ["tool", "list", "--registry", ACCOUNTS[2]];
    insta::assert_snapshot!("no_registry", stage.plain(&nothing));
}

#[test]
fn everything_that_happened_is_told_in_order() {
    let stage = stage();
    let past = ["tool", "watch", "--once", "--from-block", "0"];
    insta::assert_snapshot!(stage.plain(&past));
    let output = stage.atr.output(&[&past[..], &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = events
        .iter()
        .map(|one| {
            (
                one["event"].as_str().unwrap(),
                one["toolId"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("registered", "1"),
            ("registered", "2"),
            ("registered", "3"),
            ("predicate-updated", "3"),
            ("registered", "4"),
            ("registered", "5"),
            ("deregistered", "5"),
        ]
    );
    assert_eq!(events[0]["tool"], Stage::tool(1));
    let now = stage.atr.output(&["tool", "watch", "--once"]);
    assert!(now.status.success() && now.stdout.is_empty());
    let nothing = ["tool", "watch", "--registry", ACCOUNTS[2]];
    assert_eq!(stage.atr.output(&nothing).status.code(), Some(3));
}

#[test]
fn what_happens_later_is_told_as_it_happens() {
    let stage = Stage::new();
    let args = [
        "tool",
        "watch",
        "--json",
        "--interval",
        "0",
        "--from-block",
        "0",
    ];
    let mut watch = stage
        .atr
        .command(&args)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    for id in ["1", "2"] {
        let call = IToolRegistry::registerToolCall {
            metadataURI: "https://a.example".to_owned(),
            manifestHash: B256::repeat_byte(1),
            accessPredicate: Address::ZERO,
        };
        stage.send(ACCOUNT, Stage::registry(), &call.abi_encode());
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&line["event"], &line["toolId"]),
            (&json!("registered"), &json!(id))
        );
    }
    // Nobody listens any more: it ends by itself when there is something to tell.
    drop(lines);
    for _ in 0..3 {
        stage.register(ACCOUNT, "https://a.example", B256::repeat_byte(1));
    }
    assert!(watch.wait().unwrap().success());
}
