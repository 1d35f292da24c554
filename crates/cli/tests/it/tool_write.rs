use std::fs;

use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{ERC721OwnerPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS, KEYS};
use serde_json::{Value, json};

use crate::{
    atr::parse_json,
    fixture::{Fixture, address_of, path},
};

/// A fixture that serves a valid manifest.
fn fixture_with_manifest() -> (Fixture, String) {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    (fixture, uri)
}

fn call<C: SolCall>(fixture: &Fixture, to: Address, call: &C) -> C::Return {
    let data = hex::encode_prefixed(call.abi_encode());
    let report = fixture
        .anvil
        .request("eth_call", json!([{ "to": to, "data": data }, "latest"]));
    let bytes = hex::decode(report.as_str().unwrap()).unwrap();
    C::abi_decode_returns(&bytes).unwrap()
}

fn config(fixture: &Fixture, id: u64) -> IToolRegistry::ToolConfig {
    let call_data = IToolRegistry::getToolConfigCall {
        toolId: U256::from(id),
    };
    call(fixture, Fixture::registry(), &call_data)
}

fn count(fixture: &Fixture) -> U256 {
    call(
        fixture,
        Fixture::registry(),
        &IToolRegistry::toolCountCall {},
    )
}

#[test]
fn registers_the_served_manifest() {
    let (fixture, uri) = fixture_with_manifest();
    let report = fixture.json(&["tool", "register", &uri, "--yes"], 0);
    assert_eq!(report["tool"], Fixture::tool(1));
    let config = config(&fixture, 1);
    assert_eq!(config.metadataURI, uri);
    assert_eq!(config.creator.to_string(), ACCOUNT);
    assert_eq!(config.accessPredicate, Address::ZERO);
    let verdict = fixture.json(&["verify", "1"], 0);
    assert_eq!(verdict["summary"]["usable"], 1);
}

#[test]
fn register_prints_plan_and_transaction() {
    let (fixture, uri) = fixture_with_manifest();
    insta::assert_snapshot!(fixture.transcript(&["tool", "register", &uri, "--yes"]));
}

#[test]
fn a_dry_run_sends_nothing() {
    // O-08
    let (fixture, uri) = fixture_with_manifest();
    let predicate = address_of("AlwaysDenyPredicate").to_string();
    let collection = fixture.deploy_mock("PlainERC721", &[]).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
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
        let transcript = fixture.transcript(&args);
        assert!(transcript.starts_with("exit code: 0"), "{transcript}");
        assert!(transcript.contains("nothing was sent"), "{transcript}");
    }
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    fixture.serve("oracle", &changed(&fixture));
    fixture.json(&["tool", "update", "1", "--dry-run"], 0);
    for args in [
        vec!["tool", "deregister", "1", "--dry-run"],
        vec!["tool", "set-predicate", "1", &predicate, "--dry-run"],
    ] {
        let output = fixture.atr.output(&args);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(
        fixture.anvil.nonce(ACCOUNT),
        before + 1,
        "only the registration"
    );
    let left = fixture.anvil.request("txpool_status", json!([]));
    assert_eq!(left["pending"], "0x0");
}

fn changed(fixture: &Fixture) -> Value {
    let mut manifest = fixture.manifest("oracle");
    manifest["description"] = json!("Returns other prices.");
    manifest
}

#[test]
fn rejects_a_signer_that_is_not_the_creator() {
    // H-19
    let (fixture, uri) = fixture_with_manifest();
    let register = |key: &str| {
        let mut command = fixture.atr.command(&[
            "tool",
            "register",
            &uri,
            "--yes",
            "--json",
            "--allow-host",
            &fixture.host(),
            "--ca-file",
            "ca.pem",
        ]);
        command.env("ATR_PRIVATE_KEY", key).output().unwrap()
    };
    let report = parse_json(&register(KEYS[1]).stdout, 1);
    let checks = report["rejection"]["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 1, "{report}");
    assert_eq!(checks[0]["code"], "signer-mismatch");
    let signer = ACCOUNTS[1].to_lowercase();
    assert_eq!(checks[0]["observed"], format!("signer {signer}"));
    assert_eq!(count(&fixture), U256::ZERO);
    assert_eq!(fixture.anvil.nonce(ACCOUNTS[1]), 0);
    // The signer is the only fault.
    parse_json(&register(KEYS[0]).stdout, 0);
}

#[test]
fn registers_a_manifest_that_its_gate_will_serve() {
    let fixture = Fixture::new();
    let manifest = fixture.manifest("oracle").to_string();
    fs::write(fixture.atr.path("oracle.json"), &manifest).unwrap();
    let uri = fixture.uri("oracle");
    let args = [
        "tool",
        "register",
        &uri,
        "--manifest",
        "oracle.json",
        "--yes",
    ];
    let report = fixture.json(&args, 0);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("until https://localhost"), "{warnings}");
    assert_eq!(count(&fixture), U256::ONE);
    assert!(fixture.server.requests().is_empty());
}

#[test]
fn does_not_register_an_invalid_manifest() {
    let fixture = Fixture::new();
    let mut broken = fixture.manifest("oracle");
    broken["endpoint"] = json!("https://other.example/");
    broken["pricing"] = json!([]);
    fixture.serve("oracle", &broken);
    let before = fixture.anvil.nonce(ACCOUNT);
    insta::assert_snapshot!(fixture.transcript(&[
        "tool",
        "register",
        &fixture.uri("oracle"),
        "--yes"
    ]));
    // A 404 is final; a failed connection is retryable and exits with 3.
    let missing = fixture.output(&["tool", "register", &fixture.uri("missing"), "--yes"]);
    assert_eq!(missing.status.code(), Some(1));
    let unreachable = "https://localhost:1/.well-known/ai-tool/x.json";
    let unreachable = [
        "tool",
        "register",
        unreachable,
        "--yes",
        "--allow-host",
        "localhost:1",
    ];
    insta::assert_snapshot!("connection_refused", fixture.transcript(&unreachable));
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
}

#[test]
fn a_server_that_is_not_reached_makes_the_result_unknown() {
    let (fixture, uri) = fixture_with_manifest();
    let host = fixture.host();
    // Neither allowed nor trusted; allowed, but not trusted.
    let forbidden = ["tool", "register", &uri, "--yes"];
    let untrusted = ["tool", "register", &uri, "--yes", "--allow-host", &host];
    for (args, advice) in [
        (&forbidden[..], format!("allow      --allow-host {host}")),
        (
            &untrusted,
            format!("allow      --allow-host {host} --ca-file FILE, if the host is yours"),
        ),
    ] {
        let transcript = fixture.atr.transcript(args);
        assert!(transcript.starts_with("exit code: 3\n"), "{transcript}");
        assert!(
            transcript.contains("not registered: cannot fetch the manifest\n"),
            "{transcript}"
        );
        assert!(transcript.contains(&advice), "{transcript}");
        // The same failure of another command.
        let validate = [&["manifest", "validate"], &args[2..3], &args[4..]].concat();
        let transcript = fixture.atr.transcript(&validate);
        assert!(transcript.starts_with("exit code: 3\n"), "{transcript}");
        assert!(
            transcript.contains("hint: if the host is yours"),
            "{transcript}"
        );
    }
    assert_eq!(count(&fixture), U256::ZERO);
}

#[test]
fn nft_gate_registers_and_configures_the_predicate() {
    let (fixture, uri) = fixture_with_manifest();
    let collection = fixture.deploy_mock("PlainERC721", &[]);
    let report = fixture.json(
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
    assert_eq!(report["tool"], Fixture::tool(1));
    let predicate = address_of("ERC721OwnerPredicate");
    assert_eq!(config(&fixture, 1).accessPredicate, predicate);
    let call_data = ERC721OwnerPredicate::getCollectionsCall {
        toolId: U256::from(1),
    };
    assert_eq!(call(&fixture, predicate, &call_data), [collection]);
    let inspected = fixture.json(&["tool", "inspect", "1"], 0);
    assert_eq!(inspected["predicate"]["name"], "ERC721OwnerPredicate");
    assert_eq!(inspected["predicate"]["isProxy"], false);
}

#[test]
fn rejects_a_predicate_of_another_registry() {
    let (fixture, uri) = fixture_with_manifest();
    // The same contract, deployed for another registry.
    let other = Address::repeat_byte(0x77).to_string();
    fixture.set_code(Address::repeat_byte(0x77), "0x00");
    let deployed = fixture.atr.output(&[
        "deploy",
        "--yes",
        "--records",
        "other-records",
        "--registry",
        &other,
        "--only",
        "ERC721OwnerPredicate",
        "--json",
    ]);
    assert!(deployed.status.success(), "{deployed:?}");
    let deployed: Value = serde_json::from_slice(&deployed.stdout).unwrap();
    let predicate = deployed["deployment"]["contracts"][0]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    let before = fixture.anvil.nonce(ACCOUNT);
    let transcript = fixture.transcript(&[
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
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
}

#[test]
fn prints_warnings_before_registration() {
    // O-10
    let fixture = Fixture::new();
    let mut paid = fixture.manifest("paid");
    paid["pricing"] = json!([{
        "amount": "1000",
        "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "recipient": format!("eip155:8453:{}", ACCOUNT.to_lowercase()),
        "protocol": "x402",
    }]);
    fixture.serve("paid", &paid);
    let uri = fixture.uri("paid");
    let no_code = "0x000000000000000000000000000000000000dEaD";
    let zero_code = fixture.transcript(&[
        "tool",
        "register",
        &uri,
        "--access-predicate",
        no_code,
        "--dry-run",
    ]);
    assert!(zero_code.contains("no code"), "{zero_code}");
    assert!(zero_code.contains("maxAge"), "{zero_code}");
    assert!(zero_code.contains("EOA"), "{zero_code}");
    insta::assert_snapshot!(zero_code);
    // A contract that returns no data.
    let no_erc165 = Address::repeat_byte(0x55);
    fixture
        .anvil
        .request("anvil_setCode", json!([no_erc165, "0x5f5ff3"]));
    let no_erc165 = no_erc165.to_string();
    let transcript = fixture.transcript(&[
        "tool",
        "register",
        &uri,
        "--access-predicate",
        &no_erc165,
        "--dry-run",
    ]);
    assert!(
        transcript.contains("does not support ERC-165"),
        "{transcript}"
    );
}

#[test]
fn update_registers_the_current_hash() {
    let (fixture, uri) = fixture_with_manifest();
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    let unchanged = fixture.json(&["tool", "update", "1", "--yes"], 0);
    assert!(
        unchanged["transactions"].as_array().unwrap().is_empty(),
        "{unchanged}"
    );
    let hash = fixture.serve("oracle", &changed(&fixture));
    fixture.json(&["verify", "1"], 1);
    fixture.json(&["tool", "update", "1", "--yes"], 0);
    assert_eq!(config(&fixture, 1).manifestHash, hash);
    fixture.json(&["verify", "1"], 0);
    // A new URL.
    fixture.serve("moved", &changed(&fixture));
    fixture.json(
        &[
            "tool",
            "update",
            "1",
            "--manifest-url",
            &fixture.uri("moved"),
            "--yes",
        ],
        0,
    );
    assert_eq!(config(&fixture, 1).metadataURI, fixture.uri("moved"));
}

#[test]
fn sets_and_removes_the_access_predicate() {
    let (fixture, uri) = fixture_with_manifest();
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    let deny = address_of("AlwaysDenyPredicate");
    let run = |predicate: &str| {
        let output = fixture
            .atr
            .output(&["tool", "set-predicate", "1", predicate, "--yes"]);
        assert!(output.status.success(), "{output:?}");
    };
    run(&deny.to_string());
    assert_eq!(config(&fixture, 1).accessPredicate, deny);
    run("open");
    assert_eq!(config(&fixture, 1).accessPredicate, Address::ZERO);
}

#[test]
fn rejects_changes_by_other_accounts() {
    let (fixture, uri) = fixture_with_manifest();
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    for args in [
        vec!["tool", "set-predicate", "1", &deny, "--yes"],
        vec!["tool", "deregister", "1", "--yes", "--confirm", "1"],
    ] {
        let mut command = fixture.atr.command(&args);
        let output = command.env("ATR_PRIVATE_KEY", KEYS[1]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    assert_eq!(fixture.anvil.nonce(ACCOUNTS[1]), 0);
}

#[test]
fn deregister_requires_two_confirmations() {
    let (fixture, uri) = fixture_with_manifest();
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    let once = fixture.atr.output(&["tool", "deregister", "1", "--yes"]);
    assert_eq!(once.status.code(), Some(2), "--yes alone is not enough");
    let wrong = fixture
        .atr
        .output(&["tool", "deregister", "1", "--yes", "--confirm", "2"]);
    assert_eq!(wrong.status.code(), Some(2));
    let twice = fixture
        .atr
        .output(&["tool", "deregister", "1", "--yes", "--confirm", "1"]);
    assert!(twice.status.success(), "{twice:?}");
    let verdict = fixture.json(&["verify", "1"], 1);
    assert_eq!(verdict["verdicts"][0]["status"], "deregistered");
}

#[test]
fn inspect_shows_registered_and_served_hash() {
    // O-09
    let (fixture, uri) = fixture_with_manifest();
    fixture.json(&["tool", "register", &uri, "--yes"], 0);
    let matching = fixture.json(&["tool", "inspect", "1"], 0);
    assert_eq!(matching["registeredHash"], matching["servedHash"]);
    assert_eq!(
        matching["creator"].as_str().unwrap().to_lowercase(),
        ACCOUNT.to_lowercase()
    );
    assert_eq!(matching["metadataUri"], uri);
    let hash = fixture.serve("oracle", &changed(&fixture));
    let changed = fixture.json(&["tool", "inspect", "1"], 1);
    assert_ne!(changed["registeredHash"], changed["servedHash"]);
    assert_eq!(changed["servedHash"], format!("{hash:#x}"));
    insta::assert_snapshot!(fixture.transcript(&["tool", "inspect", "1"]));
    let unreachable =
        "https://localhost:1/.well-known/ai-tool/a-slug-that-is-long-enough-to-be-cut.json";
    fixture.register(ACCOUNT, unreachable, hash);
    let deny = address_of("AlwaysDenyPredicate");
    fixture
        .atr
        .output(&["tool", "set-predicate", "2", &deny.to_string(), "--yes"]);
    let gated = ["tool", "inspect", "2", "--allow-host", "localhost:1"];
    insta::assert_snapshot!("gated_and_unreachable", fixture.transcript(&gated));
    fixture.server.remove(&path("oracle"));
    let removed = fixture.json(&["tool", "inspect", "1"], 1);
    assert_eq!(removed["servedHash"], Value::Null);
    assert_ne!(removed["registeredHash"], format!("{:#x}", B256::ZERO));
}
