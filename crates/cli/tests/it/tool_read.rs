use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use alloy_primitives::{Address, B256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use crate::fixture::{Fixture, address_of};

/// Five tools of two creators: one gated, one deregistered, one with control characters in its `metadataURI`.
fn fixture_with_tools() -> Fixture {
    let fixture = Fixture::new();
    let hash = B256::repeat_byte(1);
    fixture.register(
        ACCOUNT,
        "https://a.example/.well-known/ai-tool/a.json",
        hash,
    );
    fixture.register(
        ACCOUNTS[1],
        "https://b.example/.well-known/ai-tool/b.json",
        hash,
    );
    fixture.register_gated(address_of("AlwaysDenyPredicate"));
    fixture.register(ACCOUNTS[1], "https://d.example/\u{1b}[31m", hash);
    let last = fixture.register(ACCOUNT, "https://e.example", hash);
    let call = IToolRegistry::deregisterToolCall { toolId: last };
    fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
    fixture
}

fn ids(report: &Value) -> Vec<&str> {
    let tools = report["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect()
}

#[test]
fn lists_tools_by_id() {
    let fixture = fixture_with_tools();
    insta::assert_snapshot!(
        "all",
        fixture.plain_transcript(&["tool", "list", "--no-fetch"])
    );
    let all = fixture.plain_json(&["tool", "list", "--no-fetch"], 0);
    assert_eq!(ids(&all), ["1", "2", "3", "4", "5"]);
    assert_eq!((&all["count"], &all["next"]), (&json!("5"), &Value::Null));
    assert_eq!(
        all["tools"][4],
        json!({ "id": "5", "tool": Fixture::tool(5), "state": "deregistered" })
    );
    let by_creator = fixture.plain_json(&["tool", "list", "--no-fetch", "--creator", ACCOUNT], 0);
    assert_eq!(ids(&by_creator), ["1", "3"]);
    let page = ["--from-id", "2", "--limit", "2"];
    let page = fixture.plain_json(&[&["tool", "list", "--no-fetch"][..], &page].concat(), 0);
    assert_eq!((ids(&page), &page["next"]), (vec!["2", "3"], &json!("4")));
    insta::assert_snapshot!(
        "page",
        fixture.plain_transcript(&["tool", "list", "--no-fetch", "--limit", "1"])
    );
    let no_tools = ["tool", "list", "--creator", ACCOUNTS[2]];
    insta::assert_snapshot!("no_tools", fixture.plain_transcript(&no_tools));
    let no_registry = ["tool", "list", "--registry", ACCOUNTS[2]];
    insta::assert_snapshot!("no_registry", fixture.plain_transcript(&no_registry));
}

#[test]
fn watch_prints_past_events_in_order() {
    let fixture = fixture_with_tools();
    let past = ["tool", "watch", "--once", "--from-block", "0"];
    insta::assert_snapshot!(fixture.plain_transcript(&past));
    let output = fixture.atr.output(&[&past[..], &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let printed: Vec<_> = events
        .iter()
        .map(|event| {
            (
                event["event"].as_str().unwrap(),
                event["toolId"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        printed,
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
    assert_eq!(events[0]["tool"], Fixture::tool(1));
    let now = fixture.atr.output(&["tool", "watch", "--once"]);
    assert!(now.status.success() && now.stdout.is_empty());
    let no_registry = ["tool", "watch", "--registry", ACCOUNTS[2]];
    assert_eq!(fixture.atr.output(&no_registry).status.code(), Some(3));
}

#[test]
fn watch_prints_new_events() {
    let fixture = Fixture::new();
    let args = [
        "tool",
        "watch",
        "--json",
        "--interval",
        "0",
        "--from-block",
        "0",
    ];
    let mut watch = fixture
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
        fixture.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&line["event"], &line["toolId"]),
            (&json!("registered"), &json!(id))
        );
    }
    // The process exits when it writes to the closed pipe.
    drop(lines);
    for _ in 0..3 {
        fixture.register(ACCOUNT, "https://a.example", B256::repeat_byte(1));
    }
    assert!(watch.wait().unwrap().success());
}
