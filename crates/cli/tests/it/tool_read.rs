use alloy_primitives::B256;
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use crate::fixture::{Fixture, address_of};

/// Five tools of two creators: one gated, one deregistered, one with control characters in its `metadataURI`.
pub(crate) fn fixture_with_tools() -> Fixture {
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
