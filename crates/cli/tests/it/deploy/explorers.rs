use atr_bindings::TOOL_REGISTRY;
use atr_loopback::{Anvil, KEY};
use serde_json::{Value, json};

use super::{Operator, suite};
use crate::support::explorer::{Behavior, ExplorerServer};

const API_KEY: &str = "EXPLORER-KEY";
const ONLY: &[&str] = &["ToolRegistry", "ERC721OwnerPredicate"];

/// Deploys two contracts and verifies them at both explorers.
fn verify(explorer: &ExplorerServer, key: &str, args: &[&str], code: i32) -> (Value, String) {
    let anvil = Anvil::start();
    let operator = Operator {
        atr: crate::atr::Atr::new()
            .with_variable("ATR_PRIVATE_KEY", KEY)
            .with_variable("ATR_ETHERSCAN_API_KEY", key),
        url: anvil.url.clone(),
    };
    let etherscan = format!("{}/api", explorer.url);
    let urls = [
        "--etherscan-url",
        &etherscan,
        "--sourcify-url",
        &explorer.url,
    ];
    let all = [
        &["--chain", "anvil", "--yes", "--verify", "--only"],
        ONLY,
        &urls,
        args,
    ]
    .concat();
    let report = operator.json(&all, code);
    let human = operator.run(&all);
    (report["verifications"].clone(), super::text(&human.stdout))
}

#[test]
fn submits_sources_to_both_explorers() {
    let explorer = ExplorerServer::start(Behavior::Verified, API_KEY);
    let (verifications, human) = verify(&explorer, API_KEY, &[], 0);
    let statuses: Vec<_> = verifications
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["explorer"].clone(),
                row["status"].clone(),
                row["detail"].clone(),
            )
        })
        .collect();
    assert_eq!(
        statuses,
        [
            (json!("Etherscan"), json!("pass"), json!("Pass - Verified")),
            (json!("Etherscan"), json!("pass"), json!("Pass - Verified")),
            (json!("Sourcify"), json!("pass"), json!("exact_match")),
            (json!("Sourcify"), json!("pass"), json!("exact_match")),
        ]
    );
    assert!(human.contains("exact_match"), "{human}");

    // explorers receive the standard JSON input; a test of `atr-artifacts` proves that it compiles to the deployed code.
    let submissions = explorer.submissions();
    let suite = suite().only(ONLY).unwrap();
    for (target, (etherscan, sourcify)) in suite
        .targets()
        .iter()
        .zip(submissions.iter().zip(&submissions[2..]))
    {
        let build = target.code().build();
        for submission in [etherscan, sourcify] {
            assert_eq!(submission.chain_id, "31337");
            assert_eq!(submission.address, target.address().to_string());
            assert_eq!(
                submission.contract,
                format!("{}:{}", build.source_name(), target.name())
            );
            assert_eq!(submission.input, build.standard_input());
        }
        assert_eq!(etherscan.compiler, format!("v{}", build.compiler().version));
        assert_eq!(sourcify.compiler, build.compiler().version);
        let arguments = target.arguments().to_string();
        assert_eq!(etherscan.arguments.as_deref(), Some(&arguments[2..]));
    }
    assert_eq!(suite.targets()[0].name(), TOOL_REGISTRY.name());
}

#[test]
fn retries_until_the_explorer_has_the_contract() {
    let explorer = ExplorerServer::start(Behavior::NotIndexedYet, API_KEY);
    let (verifications, _) = verify(&explorer, API_KEY, &["--verifier", "etherscan"], 0);
    assert_eq!(verifications.as_array().unwrap().len(), ONLY.len());
}

#[test]
fn already_verified_is_success() {
    let explorer = ExplorerServer::start(Behavior::AlreadyVerified, API_KEY);
    let (verifications, _) = verify(&explorer, API_KEY, &[], 0);
    for row in verifications.as_array().unwrap() {
        assert_eq!(
            (&row["status"], &row["detail"]),
            (&json!("pass"), &json!("already verified"))
        );
    }
}

#[test]
fn reports_a_bytecode_mismatch() {
    let explorer = ExplorerServer::start(Behavior::Mismatch, API_KEY);
    let (verifications, human) = verify(&explorer, API_KEY, &[], 1);
    for row in verifications.as_array().unwrap() {
        assert_eq!(row["status"], "fail", "{row}");
    }
    assert!(human.contains("Bytecode does not match"), "{human}");
    assert!(human.contains("no_match"), "{human}");
}

#[test]
fn an_invalid_api_key_fails_and_a_missing_one_skips_etherscan() {
    let explorer = ExplorerServer::start(Behavior::Verified, API_KEY);
    let (verifications, human) = verify(&explorer, "WRONG-KEY", &["--verifier", "etherscan"], 1);
    assert!(
        verifications[0]["detail"]
            .as_str()
            .unwrap()
            .contains("Invalid API Key")
    );
    assert!(!human.contains("WRONG-KEY"), "{human}");
    let (verifications, _) = verify(&explorer, "", &[], 0);
    for row in verifications.as_array().unwrap() {
        assert_eq!(row["explorer"], "Sourcify");
    }
}

#[test]
fn an_unreachable_explorer_exits_with_3_after_deploying() {
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let args = [
        "--chain",
        "anvil",
        "--yes",
        "--only",
        "ToolRegistry",
        "--verify",
        "--sourcify-url",
        "http://127.0.0.1:1",
    ];
    let report = operator.json(&args, 3);
    assert_eq!(
        report["verifications"][0]["status"], "inconclusive",
        "{report}"
    );
    assert_eq!(
        operator.record(31337)["contracts"]
            .as_object()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn verifies_at_blockscout_without_a_key() {
    let explorer = ExplorerServer::start(Behavior::NotIndexedYet, API_KEY);
    let anvil = Anvil::start();
    let operator = Operator::new(&anvil);
    let url = format!("{}/blockscout/api", explorer.url);
    let args = [
        "--chain",
        "anvil",
        "--yes",
        "--verify",
        "--only",
        "ToolRegistry",
    ];
    let verifier = ["--verifier", "blockscout"];
    let error = operator.error(&[&args[..], &verifier].concat(), 2);
    assert!(error.contains("--blockscout-url"), "{error}");
    let report = operator.json(
        &[&args[..], &verifier, &["--blockscout-url", &url]].concat(),
        0,
    );
    let verification = &report["verifications"][0];
    assert_eq!(verification["explorer"], "Blockscout");
    assert_eq!(verification["status"], "pass", "{verification}");
    let submissions = explorer.submissions();
    assert_eq!(submissions.len(), 1);
    assert_eq!(submissions[0].chain_id, "");
}
