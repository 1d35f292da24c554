use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::atr::{Atr, parse_json};

/// The example of the specification, with the CID filled in.
const EXAMPLE: &str = include_str!("../../../../tests/vectors/agent_card.json");

/// The example with one text replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "{from}");
    EXAMPLE.replace(from, to)
}

/// A card as published: another entry, and a mailbox.
fn published() -> String {
    let card = changed("/summarize/v1\"", "/summarize/v1.0.0\"");
    card.replace(
        "\"meta\": {",
        "\"meta\": {\n    \"contact\": \"dev@commandlayer.org\",",
    )
}

fn with_input(atr: &Atr, args: &[&str], input: &str) -> Output {
    let mut child = atr
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn prints_the_verdict_of_every_profile() {
    let atr = Atr::new()
        .with_file("card.json", EXAMPLE)
        .with_file("published.json", published());
    assert_snapshot!(
        "card_valid",
        atr.transcript(&["card", "validate", "card.json"])
    );
    assert_snapshot!(
        "card_published",
        atr.transcript(&["card", "validate", "published.json"])
    );
    let args = [
        "card",
        "validate",
        "published.json",
        "--profile",
        "published-1.0",
    ];
    assert_eq!(atr.output(&args).status.code(), Some(0));
    let args = [
        "card",
        "validate",
        "published.json",
        "--profile",
        "published-1.1",
        "--json",
    ];
    let report = parse_json(&atr.output(&args).stdout, 1);
    assert_eq!(report["satisfied"], json!(["published-1.0"]));
    let spec = &report["profiles"][0];
    assert_eq!(
        spec["violations"][0]["expected"],
        "x402://summarizeagent.eth/summarize/v1"
    );
    assert_eq!(spec["violations"][0]["line"], 24);
    assert_eq!(spec["warnings"][0]["code"], "role-mailbox");
}

#[test]
fn reports_forbidden_content_without_repeating_it() {
    let card = changed(
        "Official protocol-level reference agent",
        "Runs on http://0x7f.1/ with sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    );
    let card = card.replace(
        "\"meta\": {",
        "\"meta\": {\"\\u001b[31m\": \"jane.doe@example.org\", \"html\": \"<script>\\u202e\",",
    );
    let atr = Atr::new().with_file("card.json", card);
    let transcript = atr.transcript(&["card", "validate", "card.json"]);
    assert!(!transcript.contains("HqLyjWDarjtT1zdp7dc"), "{transcript}");
    assert!(!transcript.contains('\u{1b}') && !transcript.contains('\u{202e}'));
    assert_snapshot!("card_forbidden_content", transcript);
}

#[test]
fn exit_codes_tell_invalid_from_unreadable() {
    let atr = Atr::new()
        .with_file("card.json", EXAMPLE)
        .with_file("not.json", "{\"id\": 1, \"id\": 2}");
    let code = |args: &[&str]| atr.output(args).status.code();
    assert_eq!(code(&["card", "validate", "card.json"]), Some(0));
    assert_eq!(code(&["card", "validate", "not.json"]), Some(1));
    assert_eq!(
        code(&["card", "validate", "card.json", "--profile", "v2"]),
        Some(2)
    );
    assert_eq!(
        code(&["card", "validate", "http://a.example/card.json"]),
        Some(2)
    );
    assert_eq!(code(&["card", "validate", "missing.json"]), Some(2));
    let output = with_input(&atr, &["card", "validate", "-", "--json"], EXAMPLE);
    let report = parse_json(&output.stdout, 0);
    assert_eq!(report["source"], "standard input");
    assert_eq!(report["cid"].as_str().unwrap().len(), 59);
    // Another verb is accepted if it is configured.
    let card = changed(
        "\"implements\": [",
        "\"implements\": [
    \"translate\",",
    );
    let card = card.replace(
        "\"translate\",
    \"summarize\"",
        "\"summarize\",
    \"translate\"",
    );
    let atr = atr.with_file("verb.json", card);
    assert_eq!(
        atr.output(&["card", "validate", "verb.json"]).status.code(),
        Some(1)
    );
    let args = [
        "card",
        "validate",
        "verb.json",
        "--commons-verb",
        "translate",
    ];
    assert_eq!(atr.output(&args).status.code(), Some(0));
}

#[test]
fn a_change_without_a_new_updated_at_is_reported() {
    // P-11
    let card = changed("Official protocol-level reference agent", "Agent");
    let atr = Atr::new()
        .with_file("old.json", EXAMPLE)
        .with_file("new.json", &card);
    let args = ["card", "validate", "new.json", "--previous", "old.json"];
    assert_snapshot!("card_stale_release", atr.transcript(&args));
    let card = card.replace("\"updated_at\": \"2025", "\"updated_at\": \"2026");
    let atr = atr.with_file("new.json", card);
    assert_eq!(atr.output(&args).status.code(), Some(0));
}

const FIELDS: [&str; 10] = [
    "--ens",
    "myagent.eth",
    "--owner",
    "me.eth",
    "--verb",
    "summarize",
    "--display-name",
    "My Agent",
    "--description",
    "Summarizes long texts.",
];

#[test]
fn init_writes_a_card_that_follows_the_text() {
    let atr = Atr::new();
    let args = [&["card", "init", "--json"], &FIELDS[..]].concat();
    let report = parse_json(&atr.output(&args).stdout, 0);
    assert_eq!(report["file"], "myagent.eth.json");
    assert_eq!(report["entry"], "x402://myagent.eth/summarize/v1");
    let text = fs::read_to_string(atr.path("myagent.eth.json")).unwrap();
    assert!(
        text.starts_with("{\n  \"id\": \"myagent.eth\",\n  \"slug\": \"myagent\",\n"),
        "{text}"
    );
    let validated = atr.output(&["card", "validate", "myagent.eth.json", "--json"]);
    let validated = parse_json(&validated.stdout, 0);
    assert_eq!(validated["profiles"][0]["warnings"], json!([]));
    assert_eq!(validated["sha256"], report["sha256"]);
    // Never overwrites.
    assert_eq!(atr.output(&args).status.code(), Some(2));
    // Missing and invalid values.
    assert_snapshot!(
        "card_init_missing",
        atr.transcript(&["card", "init", "--ens", "a.eth"])
    );
    let invalid = [
        &["card", "init", "--network", "base", "-o", "x.json"],
        &FIELDS[..],
    ]
    .concat();
    let output = atr.output(&invalid);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("/networks/0")
    );
    assert!(!atr.path("x.json").exists());
}

#[test]
fn init_prompts_for_missing_values() {
    let atr = Atr::new();
    let answers = "MyAgent\nmyagent.eth\nme.eth\nsummarise\nsummarize\nMy Agent\nSummarizes.\n";
    let output = with_input(&atr, &["card", "init", "--interactive"], answers);
    assert_eq!(output.status.code(), Some(0));
    let prompts = String::from_utf8(output.stderr).unwrap();
    assert_snapshot!("card_init_prompts", prompts);
    assert!(atr.path("myagent.eth.json").exists());
}

#[test]
fn exported_cards_are_imported_unchanged() {
    let atr = Atr::new().with_file("card.json", EXAMPLE);
    let a2a = [
        "card",
        "export",
        "a2a",
        "card.json",
        "--url",
        "https://agents.example/a2a",
        "-o",
        "a2a.json",
    ];
    assert_snapshot!("card_export_a2a", atr.transcript(&a2a));
    let registry = "eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432";
    let erc8004 = [
        "card",
        "export",
        "erc8004",
        "card.json",
        "--agent-registry",
        registry,
        "--agent-id",
        "22",
        "-o",
        "8004.json",
    ];
    assert_snapshot!("card_export_erc8004", atr.transcript(&erc8004));
    for (format, file) in [("a2a", "a2a.json"), ("erc8004", "8004.json")] {
        let output = atr.output(&["card", "import", format, file]);
        assert_eq!(output.status.code(), Some(0), "{format}");
        let card: Value = serde_json::from_slice(&output.stdout).unwrap();
        let example: Value = serde_json::from_str(EXAMPLE).unwrap();
        assert_eq!(card, example, "{format}");
    }
    // The file must refer back to the registry entry.
    let import = |id: &str| {
        let args = [
            "card",
            "import",
            "erc8004",
            "8004.json",
            "--agent-registry",
            registry,
            "--agent-id",
            id,
        ];
        atr.output(&args).status.code()
    };
    assert_eq!((import("22"), import("23")), (Some(0), Some(1)));
}

#[test]
fn documents_of_others_need_the_values_that_they_lack() {
    let foreign = json!({
        "name": "Route Planner",
        "description": "Plans routes.",
        "version": "1.2.0",
        "supportedInterfaces": [],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "route", "name": "Route", "description": "x", "tags": []}]
    });
    let atr = Atr::new().with_file("a2a.json", foreign.to_string());
    let missing = atr.transcript(&["card", "import", "a2a", "a2a.json"]);
    assert_snapshot!("card_import_missing", missing);
    let args = [
        "card",
        "import",
        "a2a",
        "a2a.json",
        "--ens",
        "route.eth",
        "--owner",
        "me.eth",
        "--verb",
        "analyze",
    ];
    let output = atr.output(&args);
    assert_eq!(output.status.code(), Some(0));
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&card["version"], &card["display_name"]),
        (&json!("1.2.0"), &json!("Route Planner"))
    );
    assert_eq!(card["entry"], "x402://route.eth/analyze/v1");
}
