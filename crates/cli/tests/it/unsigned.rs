use std::fs;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use atr_bindings::CONTRACTS;
use atr_deploy::registration_script_address;
use atr_loopback::{ACCOUNT, Anvil};
use serde_json::{Value, json};

use crate::{
    atr::{Atr, parse_json},
    fixture::{Fixture, address_of},
};

/// Sends calls from an unlocked account, as another signer would.
fn send(anvil: &Anvil, calls: &Value) {
    for call in calls.as_array().unwrap() {
        let transaction = json!({ "from": ACCOUNT, "to": call["to"], "data": call["data"] });
        let hash = anvil.request("eth_sendTransaction", json!([transaction]));
        assert_eq!(anvil.receipt(&hash)["status"], "0x1", "{call}");
    }
}

/// A command prints one call to this contract, with `--safe` too, and sends nothing. Returns the call.
fn unsigned(fixture: &Fixture, args: &[&str], to: Address) -> Value {
    let before = fixture.anvil.nonce(ACCOUNT);
    let run = |more: &[&str]| {
        let all = [args, more].concat();
        // Only these fetch the manifest.
        if matches!(args[1], "register" | "update") {
            fixture.json(&all, 0)
        } else {
            fixture.plain_json(&all, 0)
        }
    };
    let calls = run(&["--unsigned"])["unsigned"].clone();
    assert_eq!(calls.as_array().unwrap().len(), 1, "{calls}");
    assert_eq!(calls[0]["to"], json!(to), "{args:?}");
    run(&["--safe", "batch.json"]);
    let batch = fs::read(fixture.atr.path("batch.json")).unwrap();
    let batch: Value = serde_json::from_slice(&batch).unwrap();
    assert_eq!(batch["transactions"].as_array().unwrap().len(), 1);
    for name in ["to", "value", "data"] {
        assert_eq!(batch["transactions"][0][name], calls[0][name]);
    }
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    calls
}

#[test]
fn every_change_of_a_tool_can_be_signed_elsewhere() {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    let (registry, erc721) = (Fixture::registry(), address_of("ERC721OwnerPredicate"));
    fixture.set_code(Address::repeat_byte(0x72), crate::access::RETURNS_ONE);
    let collection = Address::repeat_byte(0x72).to_string();
    let predicate = erc721.to_string();
    let run = |args: &[&str], to| send(&fixture.anvil, &unsigned(&fixture, args, to));

    run(&["tool", "register", &uri], registry);
    let mut changed = fixture.manifest("oracle");
    changed["description"] = json!("Returns other prices.");
    fixture.serve("oracle", &changed);
    fixture.json(&["verify", "1"], 1);
    run(&["tool", "update", "1"], registry);
    fixture.json(&["verify", "1"], 0);
    run(&["tool", "set-predicate", "1", &predicate], registry);
    let set = ["predicate", "set-erc721", "1", "--collection", &collection];
    run(&set, erc721);
    let granted = fixture.plain_json(&["access", "check", "1", ACCOUNT], 0);
    assert_eq!(granted["access"], "granted", "{granted}");
    run(&["tool", "deregister", "1"], registry);
    let deregistered = fixture.plain_json(&["verify", "1"], 1);
    assert_eq!(deregistered["verdicts"][0]["status"], "deregistered");
}

#[test]
fn a_deployment_can_be_signed_elsewhere() {
    let anvil = Anvil::start();
    // Without a key.
    let atr = Atr::new().with_variable("ATR_RPC_URL", &anvil.url);
    let deploy = ["deploy", "--records", "records", "--json"];
    let run = |args: &[&str]| parse_json(&atr.output(&[&deploy[..], args].concat()).stdout, 0);
    let report = run(&["--unsigned"]);
    let calls = &report["unsigned"];
    assert_eq!(calls.as_array().unwrap().len(), CONTRACTS.len());
    run(&["--safe", "batch.json"]);
    let batch: Value = serde_json::from_slice(&fs::read(atr.path("batch.json")).unwrap()).unwrap();
    assert_eq!(batch["transactions"][0]["data"], calls[0]["data"]);
    assert_eq!(anvil.nonce(ACCOUNT), 0);
    send(&anvil, calls);
    let check = atr.output(&["deploy", "check", "--json"]);
    parse_json(&check.stdout, 0);
}

/// An account that executes calls, each encoded as recipient (20 bytes), length (32 bytes) and data. It reverts if one fails.
const BATCH_ACCOUNT: &str = concat!(
    // i = 0; while i < calldatasize
    "0x5f5b80369010600a5700",
    // copy the data of the call at i
    "5b80601401358082603401",
    "5f37",
    // call
    "5f5f825f5f863560601c5af1",
    // revert if it failed, else i += 52 + length
    "6029575f5ffd5b01603401600156",
);

/// Executes a file of `--safe` as one transaction; returns its status.
fn execute_batch(fixture: &Fixture, account: Address, file: &str) -> Value {
    let batch: Value = serde_json::from_slice(&fs::read(fixture.atr.path(file)).unwrap()).unwrap();
    let mut data = Vec::new();
    for call in batch["transactions"].as_array().unwrap() {
        let to: Address = call["to"].as_str().unwrap().parse().unwrap();
        let call_data: Bytes = call["data"].as_str().unwrap().parse().unwrap();
        data.extend(to);
        data.extend(U256::from(call_data.len()).to_be_bytes::<32>());
        data.extend(call_data);
    }
    let transaction = json!({
        "from": ACCOUNT, "to": account, "data": Bytes::from(data), "gas": "0x1000000",
    });
    let hash = fixture
        .anvil
        .request("eth_sendTransaction", json!([transaction]));
    fixture.anvil.receipt(&hash)["status"].clone()
}

#[test]
fn a_batch_with_the_predicted_id_reverts_as_a_whole_if_another_tool_is_registered_first() {
    let fixture = Fixture::new();
    let (account, collection) = (Address::repeat_byte(0x5a), Address::repeat_byte(0x72));
    fixture.set_code(account, BATCH_ACCOUNT);
    fixture.set_code(collection, crate::access::RETURNS_ONE);
    let gate = collection.to_string();
    for (slug, is_first) in [("first", true), ("second", false)] {
        let mut manifest = fixture.manifest(slug);
        manifest["creatorAddress"] = json!(account);
        fixture.serve(slug, &manifest);
        let uri = fixture.uri(slug);
        let register = ["tool", "register", &uri, "--nft-gate", &gate];
        fixture.json(&[&register[..], &["--safe", "batch.json"]].concat(), 0);
        if !is_first {
            let other = "https://tools.example/.well-known/ai-tool/other.json";
            fixture.register(ACCOUNT, other, B256::repeat_byte(1));
        }
        let status = execute_batch(&fixture, account, "batch.json");
        assert_eq!(status == "0x1", is_first);
    }
    let shown = fixture
        .plain_json(&["predicate", "show", "1"], 0)
        .to_string();
    assert!(shown.contains(&gate.to_lowercase()), "{shown}");
    // Only the tool of the other account was added.
    let tools = fixture.plain_json(&["tool", "list"], 0);
    assert_eq!(tools["tools"].as_array().unwrap().len(), 2, "{tools}");
}

/// An account that runs code of another contract: calldata is its address (20 bytes) and the data. It reverts if that fails.
const DELEGATING_ACCOUNT: &str = "0x601436038060145f375f5f825f5f3560601c5af4601a575f5ffd5b00";

/// Deploys `RegistrationScript`; returns its address.
fn deploy_script(fixture: &Fixture) -> Address {
    let deploy = [
        "deploy",
        "--only",
        "RegistrationScript",
        "--yes",
        "--records",
        "records",
    ];
    let report = fixture.plain_json(&deploy, 0);
    let contracts = report["deployment"]["contracts"].as_array().unwrap();
    assert_eq!(contracts.len(), 1, "{report}");
    let check = fixture.plain_json(&["deploy", "check", "--only", "RegistrationScript"], 0);
    assert_eq!(check["contracts"][0]["contract"], "RegistrationScript");
    registration_script_address()
}

#[test]
fn a_smart_account_registers_and_configures_in_one_transaction() {
    let fixture = Fixture::new();
    let (account, collection) = (Address::repeat_byte(0x5a), Address::repeat_byte(0x72));
    fixture.set_code(account, DELEGATING_ACCOUNT);
    fixture.set_code(collection, crate::access::RETURNS_ONE);
    let mut manifest = fixture.manifest("oracle");
    manifest["creatorAddress"] = json!(account);
    fixture.serve("oracle", &manifest);
    let (uri, gate) = (fixture.uri("oracle"), format!("erc721:{collection}"));
    let register = ["tool", "register", &uri, "--gate", &gate, "--script"];
    let unsigned = [&register[..], &["--unsigned"]].concat();

    let missing = fixture.json(&unsigned, 1);
    let message = missing["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("atr deploy --only RegistrationScript"),
        "{message}"
    );
    let script = deploy_script(&fixture);
    let report = fixture.json(&unsigned, 0);
    assert_eq!(
        report["script"],
        json!({ "address": script, "operation": 1 })
    );
    let [call] = report["unsigned"].as_array().unwrap().as_slice() else {
        panic!("{report}");
    };
    assert_eq!(call["to"], json!(script));
    // The Transaction Builder has no delegatecalls.
    fixture.json(&[&register[..], &["--safe", "batch.json"]].concat(), 2);

    // Another registration comes first.
    let other = "https://tools.example/.well-known/ai-tool/other.json";
    fixture.register(ACCOUNT, other, B256::repeat_byte(1));
    let data: Bytes = call["data"].as_str().unwrap().parse().unwrap();
    fixture.send(ACCOUNT, account, &[script.as_slice(), &data].concat());
    let shown = fixture
        .plain_json(&["predicate", "show", "2"], 0)
        .to_string();
    assert!(
        shown.contains(&collection.to_string().to_lowercase()),
        "{shown}"
    );
    let tools = fixture.plain_json(&["tool", "list", "--no-fetch"], 0);
    assert_eq!(tools["tools"][1]["creator"], json!(account), "{tools}");
}

#[test]
fn an_eip_7702_account_registers_and_configures_in_one_transaction() {
    let fixture = Fixture::new();
    let collection = Address::repeat_byte(0x72);
    fixture.set_code(collection, crate::access::RETURNS_ONE);
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let (uri, gate) = (fixture.uri("oracle"), format!("erc721:{collection}"));
    let register = [
        "tool", "register", &uri, "--gate", &gate, "--script", "--yes",
    ];
    let script = deploy_script(&fixture);

    // Before the account delegates to the script, it can only be printed.
    let rejected = fixture.json(&register, 2);
    let message = rejected["error"]["message"].as_str().unwrap();
    assert!(message.contains("--unsigned"), "{message}");
    let report = fixture.json(&[&register[..], &["--unsigned"]].concat(), 0);
    assert_eq!(report["script"]["authorization"], json!(script));
    assert_eq!(report["unsigned"][0]["to"], ACCOUNT.to_lowercase());
    let transcript = fixture.transcript(&[&register[..], &["--unsigned"]].concat());
    assert!(transcript.contains("cast send 0x"), "{transcript}");

    let account: Address = ACCOUNT.parse().unwrap();
    fixture.set_code(account, &format!("0xef0100{}", hex::encode(script)));
    let before = fixture.anvil.nonce(ACCOUNT);
    let report = fixture.json(&register, 0);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
    assert_eq!(report["transactions"].as_array().unwrap().len(), 1);
    assert_eq!(
        report["transactions"][0]["events"][0]["event"], "registered",
        "{report}"
    );
    let granted = fixture.plain_json(&["access", "check", "1", ACCOUNT], 0);
    assert_eq!(granted["access"], "granted", "{granted}");
}
