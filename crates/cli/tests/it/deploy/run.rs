use alloy_primitives::{B256, keccak256};
use atr_bindings::{CONTRACTS, TOOL_REGISTRY};
use atr_deploy::FACTORY;
use atr_loopback::{ACCOUNT, Action, Anvil, RpcProxy};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{Operator, suite, text};
use crate::atr::Atr;

/// Replaces addresses, hashes and numbers.
fn normalize(transcript: &str, operator: &Operator) -> String {
    let mut text = transcript.replace(&operator.records().display().to_string(), "<records>");
    for target in suite().targets() {
        text = text.replace(
            &target.address().to_string(),
            &format!("{:<42}", format!("<{}>", target.name())),
        );
    }
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c))
            && (word.contains(',') || word.contains('.'))
    };
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let bare = word.trim_end();
        let hidden = if bare.len() == 66
            && bare.starts_with("0x")
            && bare.contains(|c| c != '0' && c != 'x')
        {
            "<hash>".to_owned()
        } else if is_number(bare) {
            "#".repeat(bare.len())
        } else {
            bare.to_owned()
        };
        hidden + &word[bare.len()..]
    });
    let text: String = words.collect();
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[test]
fn deploys_all_contracts_to_a_new_chain() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let report = operator.json(&["--chain", "anvil", "--yes"], 0);
    let contracts = report["deployment"]["contracts"].as_array().unwrap();
    assert_eq!(contracts.len(), CONTRACTS.len());
    for (target, contract) in suite().targets().iter().zip(contracts) {
        assert_eq!(contract["address"], json!(target.address()));
        // no contract is a proxy; `explorers` tests the published sources.
        let findings = contract["findings"].as_array().unwrap();
        let status = |check| {
            &findings
                .iter()
                .find(|finding| finding["check"] == check)
                .unwrap()["status"]
        };
        for check in [
            "runtime code",
            "no proxy",
            "name()",
            "version()",
            "interface ids",
            "init code",
        ] {
            assert_eq!(status(check), "pass", "{contract}");
        }
        let code = anvil.request("eth_getCode", json!([target.address(), "latest"]));
        assert_eq!(code, json!(target.runtime()));
    }
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    assert!(!operator.journal_exists(31337));
}

#[test]
fn writes_a_complete_record() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    operator.json(
        &[
            "--chain",
            "anvil",
            "--yes",
            "--only",
            "ToolRegistry",
            "ERC721OwnerPredicate",
        ],
        0,
    );
    let record = operator.record(31337);
    assert_eq!(record["chainId"], 31337);
    let entries = record["contracts"].as_object().unwrap();
    assert_eq!(entries.len(), 2);
    for target in suite()
        .only(&["ToolRegistry", "ERC721OwnerPredicate"])
        .unwrap()
        .targets()
    {
        let entry = &record["contracts"][target.address().to_string().to_lowercase()];
        let transaction = entry["transaction"].as_str().unwrap();
        let receipt = anvil.request("eth_getTransactionReceipt", json!([transaction]));
        assert_eq!(receipt["to"], json!(FACTORY));
        let block =
            u64::from_str_radix(&receipt["blockNumber"].as_str().unwrap()[2..], 16).unwrap();
        let expected = json!({
            "contract": target.name(),
            "factory": FACTORY,
            "salt": B256::ZERO,
            "initCodeHash": keccak256(target.init_code()),
            "runtimeHash": keccak256(target.runtime()),
            "registry": target.registry(),
            "block": block,
            "transaction": transaction,
            "compiler": target.code().build().compiler(),
        });
        assert_eq!(*entry, expected);
    }
}

#[test]
fn a_second_run_sends_nothing() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    operator.json(&["--chain", "anvil", "--yes"], 0);
    let (nonce, record) = (anvil.nonce(ACCOUNT), operator.record(31337));

    let proxy = RpcProxy::start(&anvil.url, |_| Action::Forward);
    // Without a key and without confirmation, because there is nothing to sign.
    let operator = operator.using(&proxy.url);
    let output = operator
        .command(&["--chain", "anvil"])
        .env_remove("ATR_PRIVATE_KEY")
        .output()
        .unwrap();
    assert_snapshot!(normalize(&operator.atr.transcript_of(&output), &operator));
    assert_eq!(
        (anvil.nonce(ACCOUNT), operator.record(31337)),
        (nonce, record)
    );
    assert!(
        !proxy
            .methods()
            .iter()
            .any(|method| method.starts_with("eth_send"))
    );
}

#[test]
fn deploys_missing_contracts_only() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    operator.json(
        &["--chain", "anvil", "--yes", "--only", TOOL_REGISTRY.name()],
        0,
    );
    let before = operator.record(31337)["contracts"]
        .as_object()
        .unwrap()
        .clone();
    let report = operator.json(&["--chain", "anvil", "--yes"], 0);
    let states: Vec<_> = report["plan"]["contracts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["state"])
        .collect();
    assert_eq!(states[0], "deployed");
    assert!(states[1..].iter().all(|state| *state == "missing"));
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    let after = operator.record(31337);
    for (address, entry) in before {
        assert_eq!(after["contracts"][&address], entry);
    }
}

#[test]
fn addresses_are_the_same_on_every_chain() {
    let addresses = |report: &Value| -> Vec<Value> {
        let contracts = report["deployment"]["contracts"].as_array().unwrap();
        contracts
            .iter()
            .map(|contract| contract["address"].clone())
            .collect()
    };
    let chains = [1, 8453].map(|id| {
        let anvil = Anvil::start_with(&["--chain-id", &id.to_string()]);
        let operator = Operator::new(&anvil);
        let report = operator.json(&["--chain", &id.to_string(), "--yes"], 0);
        assert_eq!(operator.record(id)["chainId"], id);
        addresses(&report)
    });
    assert_eq!(chains[0], chains[1]);
    let predicted: Vec<_> = suite()
        .targets()
        .iter()
        .map(|target| json!(target.address()))
        .collect();
    assert_eq!(chains[0], predicted);
}

#[test]
fn a_dry_run_sends_and_writes_nothing() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |_| Action::Forward);
    let operator = Operator::with_url(&proxy.url);
    let output = operator.run(&["--chain", "anvil", "--dry-run"]);
    assert_snapshot!(normalize(&operator.atr.transcript_of(&output), &operator));
    let methods = proxy.methods();
    assert!(
        !methods.iter().any(|method| method.starts_with("eth_send")),
        "{methods:?}"
    );
    assert!(
        methods.iter().any(|method| method == "eth_estimateGas"),
        "{methods:?}"
    );
    assert!(!operator.records().exists());
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn a_dry_run_needs_no_signer() {
    let anvil = Anvil::start();
    let operator = Operator::without_key(&anvil);
    let plan = &operator.json(&["--chain", "anvil", "--dry-run"], 0)["plan"];
    assert_eq!(
        (&plan["sender"], &plan["balance"]),
        (&Value::Null, &Value::Null)
    );
    let plan = &operator.json(&["--chain", "anvil", "--dry-run", "--from", ACCOUNT], 0)["plan"];
    assert_eq!(plan["sender"], json!(ACCOUNT.to_lowercase()));
    assert_eq!(plan["balance"], "10000000000000000000000");
}

#[test]
fn predict_needs_no_node_and_depends_on_the_salt() {
    let atr = Atr::new();
    let output = atr.output(&["deploy", "--predict", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (target, row) in suite()
        .targets()
        .iter()
        .zip(report["contracts"].as_array().unwrap())
    {
        assert_eq!(row["address"], json!(target.address()));
        assert_eq!(row["initCodeHash"], json!(target.init_code_hash()));
    }
    let salt = format!("0x{:064x}", 1);
    let other = atr.output(&["deploy", "--predict", "--json", "--salt", &salt]);
    let other: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_ne!(report["registry"], other["registry"]);
    let human = text(&atr.output(&["deploy", "--predict"]).stdout);
    assert!(human.contains(&suite().registry().to_string()), "{human}");
}

#[test]
fn deploys_predicates_for_an_existing_registry() {
    let anvil = Anvil::start();
    let code = json!(["0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1", "0x00"]);
    anvil.request("anvil_setCode", code);
    let operator = Operator::new(&anvil);
    let args = [
        "--chain",
        "anvil",
        "--yes",
        "--registry",
        "opensea",
        "--only",
        "ERC721OwnerPredicate",
    ];
    let report = operator.json(&args, 0);
    let findings = report["deployment"]["contracts"][0]["findings"]
        .as_array()
        .unwrap();
    let registry = findings
        .iter()
        .find(|finding| finding["check"] == "REGISTRY()")
        .unwrap();
    assert_eq!(
        registry["detail"],
        "0x265BB2DBFC0A8165C9A1941Eb1372F349baD2cf1"
    );
}

#[test]
fn default_record_directories() {
    let anvil = Anvil::start();
    let atr = Atr::new().with_file("repository/script/Deploy.s.sol", "");
    let nested = atr.path("repository/crates");
    std::fs::create_dir(&nested).unwrap();
    let home = atr.path("home");
    let plan = |directory: &std::path::Path, variable: Option<&str>| {
        let args = ["deploy", "--chain", &anvil.url, "--dry-run", "--json"];
        let mut command = atr.command_in(directory, &args);
        let output = command
            .envs(variable.map(|name| (name, &home)))
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let record = |directory: &std::path::Path, variable| -> String {
        let (_, report) = plan(directory, variable);
        let record = std::path::PathBuf::from(report["record"].as_str().unwrap());
        let root = atr.path("").canonicalize().unwrap();
        let record = record
            .strip_prefix(&root)
            .or_else(|_| record.strip_prefix(atr.path("")));
        record.unwrap().display().to_string()
    };
    assert_eq!(
        record(&nested, Some("HOME")),
        "repository/script/deployments/31337.json"
    );
    let outside = atr.path("");
    assert_eq!(
        record(&outside, Some("HOME")),
        "home/.local/share/atr/deployments/31337.json"
    );
    assert_eq!(
        record(&outside, Some("XDG_DATA_HOME")),
        "home/atr/deployments/31337.json"
    );
    let (code, report) = plan(&outside, None);
    assert_eq!(code, Some(2));
    let error = report["error"]["message"].as_str().unwrap();
    assert!(error.contains("use --records <directory>"), "{error}");
}

#[test]
fn sends_nothing_without_confirmation() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    for args in [&["--chain", "anvil"][..], &["--chain", "anvil", "--json"]] {
        let error = operator.error(args, 2);
        assert!(error.contains("use --yes to confirm"), "{error}");
    }
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn usage_errors_have_hints() {
    let anvil = Anvil::start();
    let operator = Operator::without_key(&anvil);
    // Without a plan above it.
    let no_signer = operator.run(&["--chain", "anvil", "--yes"]);
    assert_eq!(text(&no_signer.stdout), "");
    for (args, message) in [
        (
            &["--chain", "anvil", "--yes"][..],
            "no signer; use --account",
        ),
        (
            &["--chain", "anvil", "--only", "Registry"],
            "unknown contract `Registry`",
        ),
        (
            &["--chain", "anvil", "--salt", "0x01"],
            "0x and 64 hexadecimal digits",
        ),
        (
            &["--chain", "anvil", "--max-fee-per-gas", "2"],
            "include the unit",
        ),
        (
            &[
                "--chain",
                "http://127.0.0.1:1",
                "--rpc-url",
                "http://127.0.0.1:2",
            ],
            "use one of them",
        ),
        (
            &["--chain", "anvil", "--rpc-url", "ws://127.0.0.1:1"],
            "the scheme must be http or https",
        ),
        (&["--chain", "anvil", "--ledger"], "--features ledger"),
    ] {
        let error = operator.error(args, 2);
        assert!(error.contains(message), "{args:?}: {error}");
    }
    let bare = |args: &[&str]| text(&Atr::new().output(args).stderr);
    assert!(
        bare(&["deploy", "--chain", "base", "--dry-run"])
            .contains("no RPC URL for base; use --rpc-url")
    );
    assert!(bare(&["deploy", "--dry-run"]).contains("no chain selected; use --chain"));
}
