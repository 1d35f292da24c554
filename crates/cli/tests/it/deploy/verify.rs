use atr_bindings::TOOL_REGISTRY;
use atr_loopback::{Anvil, KEY};
use serde_json::{Value, json};

use super::{Operator, suite};
use crate::support::explorer::{ExplorerServer, Opinion};

const API_KEY: &str = "EXPLORER-KEY";
const ONLY: &[&str] = &["ToolRegistry", "ERC721OwnerPredicate"];

/// Deploys two contracts and has them verified at both explorers.
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
    let answer = operator.answer(&all, code);
    let human = operator.run(&all);
    (answer["verifications"].clone(), super::text(&human.stdout))
}

#[test]
fn both_explorers_get_what_they_need_and_are_waited_for() {
    let explorer = ExplorerServer::start(Opinion::Verified, API_KEY);
    let (verifications, human) = verify(&explorer, API_KEY, &[], 0);
    let verdicts: Vec<_> = verifications
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["explorer"].clone(),
                one["verdict"].clone(),
                one["detail"].clone(),
            )
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            (json!("Etherscan"), json!("yes"), json!("Pass - Verified")),
            (json!("Etherscan"), json!("yes"), json!("Pass - Verified")),
            (json!("Sourcify"), json!("yes"), json!("exact_match")),
            (json!("Sourcify"), json!("yes"), json!("exact_match")),
        ]
    );
    assert!(human.contains("exact_match"), "{human}");

    // what explorers are given is the standard JSON input that compiles to the code on the chain; that it does is held
    // by a test of `atr-artifacts`.
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
fn an_explorer_that_has_not_seen_the_contract_yet_is_asked_again() {
    let explorer = ExplorerServer::start(Opinion::LateVerified, API_KEY);
    let (verifications, _) = verify(&explorer, API_KEY, &["--verifier", "etherscan"], 0);
    assert_eq!(verifications.as_array().unwrap().len(), ONLY.len());
}

#[test]
fn verified_already_is_verified() {
    let explorer = ExplorerServer::start(Opinion::Already, API_KEY);
    let (verifications, _) = verify(&explorer, API_KEY, &[], 0);
    for one in verifications.as_array().unwrap() {
        assert_eq!(
            (&one["verdict"], &one["detail"]),
            (&json!("yes"), &json!("was verified already"))
        );
    }
}

#[test]
fn a_mismatch_is_a_no_in_the_explorers_words() {
    let explorer = ExplorerServer::start(Opinion::Mismatch, API_KEY);
    let (verifications, human) = verify(&explorer, API_KEY, &[], 1);
    for one in verifications.as_array().unwrap() {
        assert_eq!(one["verdict"], "no", "{one}");
    }
    assert!(human.contains("Bytecode does not match"), "{human}");
    assert!(human.contains("no_match"), "{human}");
}

#[test]
fn a_wrong_key_is_a_no_and_no_key_leaves_the_explorer_out() {
    let explorer = ExplorerServer::start(Opinion::Verified, API_KEY);
    let (verifications, human) = verify(&explorer, "WRONG-KEY", &["--verifier", "etherscan"], 1);
    assert!(
        verifications[0]["detail"]
            .as_str()
            .unwrap()
            .contains("Invalid API Key")
    );
    assert!(!human.contains("WRONG-KEY"), "{human}");
    let (verifications, _) = verify(&explorer, "", &[], 0);
    for one in verifications.as_array().unwrap() {
        assert_eq!(one["explorer"], "Sourcify");
    }
}

#[test]
fn an_explorer_that_is_gone_is_could_not_find_out_and_the_deployment_stands() {
    let anvil = Anvil::start();
    let operator = Operator::at(&anvil);
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
    let answer = operator.answer(&args, 3);
    assert_eq!(answer["verifications"][0]["verdict"], "unknown", "{answer}");
    assert_eq!(
        operator.record(31337)["contracts"]
            .as_object()
            .unwrap()
            .len(),
        1
    );
}
