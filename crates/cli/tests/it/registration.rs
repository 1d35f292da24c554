use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{ERC721OwnerPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use serde_json::{Value, json};

use crate::stage::{Stage, address_of, path};

/// A stage where a manifest without fault is served.
fn served() -> (Stage, String) {
    let stage = Stage::new();
    stage.serve("oracle", &stage.manifest("oracle"));
    let uri = stage.uri("oracle");
    (stage, uri)
}

fn call<C: SolCall>(stage: &Stage, to: Address, call: &C) -> C::Return {
    let data = hex::encode_prefixed(call.abi_encode());
    let answer = stage
        .anvil
        .ask("eth_call", json!([{ "to": to, "data": data }, "latest"]));
    let bytes = hex::decode(answer.as_str().unwrap()).unwrap();
    C::abi_decode_returns(&bytes).unwrap()
}

fn config(stage: &Stage, id: u64) -> IToolRegistry::ToolConfig {
    let question = IToolRegistry::getToolConfigCall {
        toolId: U256::from(id),
    };
    call(stage, Stage::registry(), &question)
}

fn count(stage: &Stage) -> U256 {
    call(stage, Stage::registry(), &IToolRegistry::toolCountCall {})
}

#[test]
fn what_is_served_is_what_is_registered() {
    let (stage, uri) = served();
    let answer = stage.answer(&["tool", "register", &uri, "--yes"], 0);
    assert_eq!(answer["tool"], Stage::tool(1));
    let config = config(&stage, 1);
    assert_eq!(config.metadataURI, uri);
    assert_eq!(config.creator.to_string(), ACCOUNT);
    assert_eq!(config.accessPredicate, Address::ZERO);
    let verdict = stage.answer(&["verify", "1"], 0);
    assert_eq!(verdict["summary"]["usable"], 1);
}

#[test]
fn registering_says_what_it_did() {
    let (stage, uri) = served();
    insta::assert_snapshot!(stage.transcript(&["tool", "register", &uri, "--yes"]));
}

#[test]
fn a_dry_run_sends_nothing() {
    // O-08
    let (stage, uri) = served();
    let collection = address_of("AlwaysDenyPredicate").to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    for args in [
        vec!["tool", "register", &uri, "--dry-run"],
        vec![
            "tool",
            "register",
            &uri,
            "--dry-run",
            "--nft-gate",
            &collection,
        ],
    ] {
        let transcript = stage.transcript(&args);
        assert!(transcript.starts_with("exit code: 0"), "{transcript}");
        assert!(transcript.contains("nothing was sent"), "{transcript}");
    }
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    stage.serve("oracle", &changed(&stage));
    stage.answer(&["tool", "update", "1", "--dry-run"], 0);
    for args in [
        vec!["tool", "deregister", "1", "--dry-run"],
        vec!["tool", "set-predicate", "1", &collection, "--dry-run"],
    ] {
        let output = stage.atr.output(&args);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(
        stage.anvil.nonce(ACCOUNT),
        before + 1,
        "the one registration"
    );
    let left = stage.anvil.ask("txpool_status", json!([]));
    assert_eq!(left["pending"], "0x0");
}

fn changed(stage: &Stage) -> Value {
    let mut manifest = stage.manifest("oracle");
    manifest["description"] = json!("Tells other prices.");
    manifest
}

#[test]
fn a_signer_the_manifest_does_not_name_sends_nothing() {
    // H-19
    let (stage, uri) = served();
    let mut other = stage.atr.command(&[
        "tool",
        "register",
        &uri,
        "--yes",
        "--allow-host",
        &stage.host(),
        "--ca-file",
        "ca.pem",
    ]);
    let output = other.env("ATR_PRIVATE_KEY", KEYS[1]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("signer-mismatch") || text.contains("creatorAddress"),
        "{text}"
    );
    assert_eq!(count(&stage), U256::ZERO);
    assert_eq!(stage.anvil.nonce(ACCOUNTS[1]), 0);
}

#[test]
fn what_consumers_would_refuse_is_not_registered() {
    let stage = Stage::new();
    let mut broken = stage.manifest("oracle");
    broken["endpoint"] = json!("https://other.example/");
    broken["pricing"] = json!([]);
    stage.serve("oracle", &broken);
    let before = stage.anvil.nonce(ACCOUNT);
    insta::assert_snapshot!(stage.transcript(&["tool", "register", &stage.uri("oracle"), "--yes"]));
    // Nothing served at all may pass by itself: that is "could not find out" only if asking again may help.
    let missing = stage.output(&["tool", "register", &stage.uri("missing"), "--yes"]);
    assert_eq!(missing.status.code(), Some(1));
    let down = "https://localhost:1/.well-known/ai-tool/x.json";
    let down = [
        "tool",
        "register",
        down,
        "--yes",
        "--allow-host",
        "localhost:1",
    ];
    insta::assert_snapshot!("could_not_be_fetched", stage.transcript(&down));
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
}

#[test]
fn an_nft_gate_is_registered_and_set_up_in_one_go() {
    let (stage, uri) = served();
    let collection = address_of("ToolRegistry");
    let answer = stage.answer(
        &[
            "tool",
            "register",
            &uri,
            "--nft-gate",
            &collection.to_string(),
            "--yes",
        ],
        0,
    );
    assert_eq!(answer["tool"], Stage::tool(1));
    let predicate = address_of("ERC721OwnerPredicate");
    assert_eq!(config(&stage, 1).accessPredicate, predicate);
    let question = ERC721OwnerPredicate::getCollectionsCall {
        toolId: U256::from(1),
    };
    assert_eq!(call(&stage, predicate, &question), [collection]);
    let inspected = stage.answer(&["tool", "inspect", "1"], 0);
    assert_eq!(
        inspected["gate"]["predicate"]["name"],
        "ERC721OwnerPredicate"
    );
    assert_eq!(inspected["gate"]["predicateIsProxy"], false);
}

#[test]
fn a_predicate_of_another_registry_is_refused() {
    let (stage, uri) = served();
    // The same contract, made for another registry.
    let other = Address::repeat_byte(0x77).to_string();
    let deployed = stage.atr.output(&[
        "deploy",
        "--yes",
        "--records",
        "others",
        "--registry",
        &other,
        "--only",
        "ERC721OwnerPredicate",
        "--json",
    ]);
    assert!(deployed.status.success(), "{deployed:?}");
    let deployed: Value = serde_json::from_slice(&deployed.stdout).unwrap();
    let predicate = deployed["outcome"]["contracts"][0]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    let before = stage.anvil.nonce(ACCOUNT);
    let transcript = stage.transcript(&[
        "tool",
        "register",
        &uri,
        "--access-predicate",
        &predicate,
        "--yes",
    ]);
    assert!(transcript.starts_with("exit code: 1"), "{transcript}");
    assert!(
        transcript.to_lowercase().contains(&other.to_lowercase()),
        "{transcript}"
    );
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
}

#[test]
fn what_may_be_regretted_is_warned_of() {
    // O-10
    let stage = Stage::new();
    let mut paid = stage.manifest("paid");
    paid["pricing"] = json!([{
        "amount": "1000",
        "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "recipient": format!("eip155:8453:{}", ACCOUNT.to_lowercase()),
        "protocol": "x402",
    }]);
    stage.serve("paid", &paid);
    let uri = stage.uri("paid");
    let nowhere = "0x000000000000000000000000000000000000dEaD";
    let zero_code = stage.transcript(&[
        "tool",
        "register",
        &uri,
        "--access-predicate",
        nowhere,
        "--dry-run",
    ]);
    assert!(zero_code.contains("no code"), "{zero_code}");
    assert!(zero_code.contains("maxAge"), "{zero_code}");
    assert!(
        zero_code.contains("key"),
        "one key holds the gate: {zero_code}"
    );
    insta::assert_snapshot!(zero_code);
    // A contract that returns nothing, whatever it is asked.
    let mute = Address::repeat_byte(0x55);
    stage.anvil.ask("anvil_setCode", json!([mute, "0x5f5ff3"]));
    let mute = mute.to_string();
    let silent = stage.transcript(&[
        "tool",
        "register",
        &uri,
        "--access-predicate",
        &mute,
        "--dry-run",
    ]);
    assert!(
        silent.contains("does not say that it is a predicate"),
        "{silent}"
    );
}

#[test]
fn an_update_commits_to_what_is_served_now() {
    let (stage, uri) = served();
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    let same = stage.answer(&["tool", "update", "1", "--yes"], 0);
    assert!(
        same["transactions"].as_array().unwrap().is_empty(),
        "{same}"
    );
    let hash = stage.serve("oracle", &changed(&stage));
    stage.answer(&["verify", "1"], 1);
    stage.answer(&["tool", "update", "1", "--yes"], 0);
    assert_eq!(config(&stage, 1).manifestHash, hash);
    stage.answer(&["verify", "1"], 0);
    // To another place.
    stage.serve("moved", &changed(&stage));
    stage.answer(
        &[
            "tool",
            "update",
            "1",
            "--metadata",
            &stage.uri("moved"),
            "--yes",
        ],
        0,
    );
    assert_eq!(config(&stage, 1).metadataURI, stage.uri("moved"));
}

#[test]
fn a_predicate_is_set_and_taken_away() {
    let (stage, uri) = served();
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    let deny = address_of("AlwaysDenyPredicate");
    let run = |predicate: &str| {
        let output = stage
            .atr
            .output(&["tool", "set-predicate", "1", predicate, "--yes"]);
        assert!(output.status.success(), "{output:?}");
    };
    run(&deny.to_string());
    assert_eq!(config(&stage, 1).accessPredicate, deny);
    run("open");
    assert_eq!(config(&stage, 1).accessPredicate, Address::ZERO);
}

#[test]
fn a_stranger_changes_nothing() {
    let (stage, uri) = served();
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    for args in [
        vec!["tool", "set-predicate", "1", &deny, "--yes"],
        vec!["tool", "deregister", "1", "--yes", "--confirm", "1"],
    ] {
        let mut command = stage.atr.command(&args);
        let output = command.env("ATR_PRIVATE_KEY", KEYS[1]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    assert_eq!(stage.anvil.nonce(ACCOUNTS[1]), 0);
}

#[test]
fn taking_a_tool_back_is_asked_twice() {
    let (stage, uri) = served();
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    let once = stage.atr.output(&["tool", "deregister", "1", "--yes"]);
    assert_eq!(
        once.status.code(),
        Some(2),
        "nobody can be asked, and one yes is not two"
    );
    let wrong = stage
        .atr
        .output(&["tool", "deregister", "1", "--yes", "--confirm", "2"]);
    assert_eq!(wrong.status.code(), Some(2));
    let twice = stage
        .atr
        .output(&["tool", "deregister", "1", "--yes", "--confirm", "1"]);
    assert!(twice.status.success(), "{twice:?}");
    let verdict = stage.answer(&["verify", "1"], 1);
    assert_eq!(verdict["verdicts"][0]["status"], "deregistered");
}

#[test]
fn inspect_shows_the_onchain_hash_beside_the_live_one() {
    // O-09
    let (stage, uri) = served();
    stage.answer(&["tool", "register", &uri, "--yes"], 0);
    let good = stage.answer(&["tool", "inspect", "1"], 0);
    assert_eq!(good["onchainHash"], good["liveHash"]);
    assert_eq!(
        good["creator"].as_str().unwrap().to_lowercase(),
        ACCOUNT.to_lowercase()
    );
    assert_eq!(good["metadataUri"], uri);
    let hash = stage.serve("oracle", &changed(&stage));
    let other = stage.answer(&["tool", "inspect", "1"], 1);
    assert_ne!(other["onchainHash"], other["liveHash"]);
    assert_eq!(other["liveHash"], format!("{hash:#x}"));
    insta::assert_snapshot!(stage.transcript(&["tool", "inspect", "1"]));
    let nowhere =
        "https://localhost:1/.well-known/ai-tool/a-slug-that-is-long-enough-to-be-cut.json";
    stage.register(ACCOUNT, nowhere, hash);
    let deny = address_of("AlwaysDenyPredicate");
    stage
        .atr
        .output(&["tool", "set-predicate", "2", &deny.to_string(), "--yes"]);
    let gated = ["tool", "inspect", "2", "--allow-host", "localhost:1"];
    insta::assert_snapshot!("gated_and_not_to_be_fetched", stage.transcript(&gated));
    stage.server.remove(&path("oracle"));
    let gone = stage.answer(&["tool", "inspect", "1"], 1);
    assert_eq!(gone["liveHash"], Value::Null);
    assert_ne!(gone["onchainHash"], format!("{:#x}", B256::ZERO));
}
