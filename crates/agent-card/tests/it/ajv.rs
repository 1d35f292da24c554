use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use atr_agent_card::Profile;
use atr_schema::Schema;
use serde_json::{Value, json};

use crate::support::{document, example, set};

fn cards() -> Vec<Value> {
    let card = example();
    let mut cards = vec![card.clone()];
    for name in card.as_object().unwrap().keys() {
        for value in [
            Value::Null,
            json!(7),
            json!(""),
            json!(" "),
            json!([]),
            json!({}),
            json!("x402://a/b/v1"),
        ] {
            let mut variant = card.clone();
            set(&mut variant, &format!("/{name}"), value);
            cards.push(variant);
        }
    }
    for (pointer, value) in [
        ("/extra", json!(1)),
        ("/slug", json!("A")),
        ("/version", json!("1.0.0-rc.1+7")),
        ("/version", json!("1.0")),
        ("/implements", json!(["a", "a"])),
        ("/networks", json!(["base"])),
        ("/created_at", json!("2025-11-22T00:00:00+01:00")),
        ("/created_at", json!("2025-11-22")),
        ("/schemas/extra", json!("x")),
        ("/ens", json!("münchen.eth")),
        (
            "/entry",
            json!("x402://summarizeagent.eth/summarize/v1.0.0"),
        ),
    ] {
        let mut variant = card.clone();
        set(&mut variant, pointer, value);
        cards.push(variant);
    }
    cards
}

#[test]
fn ajv_strict_compiles_the_schemas_and_agrees_with_us() {
    // P-01
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/js");
    if !folder.join("node_modules/ajv").exists() {
        println!("not run: npm packages of crates/agent-card/tests/js are not installed");
        return;
    }
    let cards = cards();
    let schemas = Profile::ALL.map(Profile::json_schema);
    let mut node = Command::new("node")
        .arg(folder.join("ajv.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({"schemas": schemas, "cards": cards}).to_string();
    let mut stdin = node.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    let verdicts: Vec<Vec<bool>> = serde_json::from_slice(&output.stdout).unwrap();
    for (profile, theirs) in Profile::ALL.into_iter().zip(verdicts) {
        let schema = document(&serde_json::from_str(profile.json_schema()).unwrap());
        let schema = Schema::compile(schema.root()).unwrap();
        let ours: Vec<_> = cards
            .iter()
            .map(|card| schema.validate(&document(card)).is_valid())
            .collect();
        for (card, (ours, theirs)) in cards.iter().zip(ours.iter().zip(&theirs)) {
            assert_eq!(ours, theirs, "{profile} {card}");
        }
        println!("{profile}: Ajv strict agrees on {} cards", cards.len());
    }
}
