use alloy_primitives::{Address, U256};
use atr_bindings::CONTRACTS;
use atr_deploy::{FACTORY, Keyless};
use atr_loopback::{ACCOUNT, Anvil};
use serde_json::json;

use super::{Operator, suite, text};
use crate::support::proxy::{Action, Asked, Proxy};

const ALL: &[&str] = &["--chain", "anvil", "--yes", "--rpc-timeout", "1"];

/// Deploys through a bad line and sees that every contract was paid for once.
fn assert_survives(rule: impl Fn(&Asked) -> Action + Send + Sync + 'static) -> Proxy {
    let anvil = Anvil::start();
    let proxy = Proxy::start(&anvil.url, rule);
    let operator = Operator::at_url(&proxy.url);
    let answer = operator.answer(ALL, 0);
    for contract in answer["outcome"]["contracts"].as_array().unwrap() {
        assert!(contract["transaction"].is_string(), "{contract}");
    }
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    assert_eq!(
        operator.record(31337)["contracts"]
            .as_object()
            .unwrap()
            .len(),
        CONTRACTS.len()
    );
    proxy
}

#[test]
fn a_busy_node_is_asked_again() {
    let proxy = assert_survives(|asked| match (asked.method.as_str(), asked.nth) {
        (_, 1) => Action::Refuse(429),
        ("eth_sendRawTransaction", 3) => Action::Refuse(429),
        _ => Action::Pass,
    });
    assert_eq!(
        proxy.counts()["eth_sendRawTransaction"],
        CONTRACTS.len() + 2
    );
}

#[test]
fn a_gateway_that_fails_and_a_line_that_breaks_are_tried_again() {
    assert_survives(|asked| match asked.nth % 16 {
        3 => Action::Refuse(502),
        9 => Action::Break,
        _ => Action::Pass,
    });
}

#[test]
fn an_answer_that_never_comes_is_asked_for_again() {
    let proxy = assert_survives(|asked| match (asked.method.as_str(), asked.nth) {
        ("eth_getCode", 2) => Action::HoldBack,
        // It arrived, and the answer did not: the second time the node knows it already.
        ("eth_sendRawTransaction", 2) => Action::Swallow,
        _ => Action::Pass,
    });
    assert_eq!(
        proxy.counts()["eth_sendRawTransaction"],
        CONTRACTS.len() + 1
    );
}

#[test]
fn a_transaction_that_arrives_twice_is_paid_for_once() {
    assert_survives(|asked| match asked.method.as_str() {
        "eth_sendRawTransaction" => Action::Twice,
        _ => Action::Pass,
    });
}

#[test]
fn a_receipt_that_is_late_is_waited_for() {
    let proxy = assert_survives(|asked| match (asked.method.as_str(), asked.nth) {
        ("eth_getTransactionReceipt", nth) if nth % 3 != 0 => Action::Say(None),
        _ => Action::Pass,
    });
    assert!(proxy.counts()["eth_getTransactionReceipt"] >= 3 * CONTRACTS.len());
}

#[test]
fn a_receipt_that_never_comes_does_not_stop_a_deployment_that_is_there() {
    let anvil = Anvil::start();
    let proxy = Proxy::start(&anvil.url, |asked| match asked.method.as_str() {
        "eth_getTransactionReceipt" => Action::Say(None),
        _ => Action::Pass,
    });
    let operator = Operator::at_url(&proxy.url);
    let answer = operator.answer(&["--chain", "anvil", "--yes", "--only", "ToolRegistry"], 0);
    assert_eq!(
        answer["outcome"]["contracts"][0]["transaction"],
        json!(null)
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
fn a_node_that_is_gone_is_could_not_find_out_and_the_next_run_goes_on() {
    let anvil = Anvil::start();
    // Everything is sent; then the line is dead.
    let proxy = Proxy::start(&anvil.url, |asked| match asked.method.as_str() {
        "eth_getTransactionReceipt" => Action::Refuse(503),
        _ => Action::Pass,
    });
    let operator = Operator::at_url(&proxy.url);
    let error = operator.error(ALL, 3);
    assert!(
        error.contains("the node did not answer eth_getTransactionReceipt"),
        "{error}"
    );
    assert!(operator.journal_exists(31337));

    let operator = operator.through(&anvil.url);
    operator.answer(ALL, 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
    for entry in operator.record(31337)["contracts"]
        .as_object()
        .unwrap()
        .values()
    {
        assert!(entry["transaction"].is_string(), "{entry}");
    }
    assert!(!operator.journal_exists(31337));
}

#[test]
fn a_node_on_another_chain_is_noticed_before_anything_else() {
    let anvil = Anvil::start();
    let proxy = Proxy::start(&anvil.url, |_| Action::Pass);
    let operator = Operator::at_url(&proxy.url);
    let error = operator.error(&["--chain", "base", "--yes"], 2);
    assert!(
        error.contains("the node is on chain 31337, not on 8453; nothing was signed"),
        "{error}"
    );
    assert_eq!(proxy.asked(), ["eth_chainId"]);
    assert!(!operator.records().exists());
}

#[test]
fn a_node_that_changes_chains_after_the_plan_is_noticed_before_signing() {
    let anvil = Anvil::start();
    // As behind a careless balancer: the second question about the chain is answered by another node.
    let proxy = Proxy::start(&anvil.url, |asked| {
        match (asked.method.as_str(), asked.nth) {
            ("eth_chainId", 2) => Action::Say(Some("0x7")),
            _ => Action::Pass,
        }
    });
    let operator = Operator::at_url(&proxy.url);
    let error = operator.error(ALL, 2);
    assert!(
        error.contains("the node is on chain 7, not on 31337"),
        "{error}"
    );
    assert!(!operator.journal_exists(31337));
}

#[test]
fn other_code_at_an_address_of_ours_stops_everything() {
    let anvil = Anvil::start();
    let suite = suite();
    let target = &suite.targets()[1];
    anvil.ask("anvil_setCode", json!([target.address(), "0x6001"]));
    let operator = Operator::at(&anvil);
    let plan = &operator.answer(ALL, 1)["plan"];
    assert_eq!(plan["contracts"][1]["state"], "different");
    assert_eq!(plan["blockers"][0]["kind"], "codeDiffers");
    let human = text(&operator.run(ALL).stdout);
    assert!(human.contains("present and different"), "{human}");
    assert!(
        human.contains(&format!(
            "{} holds other code than {}",
            target.address(),
            target.name()
        )),
        "{human}"
    );
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn an_account_that_cannot_pay_is_told_before_anything_is_sent() {
    let anvil = Anvil::start();
    anvil.ask("anvil_setBalance", json!([ACCOUNT, "0x1"]));
    let operator = Operator::at(&anvil);
    let plan = &operator.answer(ALL, 1)["plan"];
    assert_eq!(plan["blockers"][0]["kind"], "insufficientFunds");
    let at_most: U256 = plan["atMost"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        plan["blockers"][0]["missing"],
        (at_most - U256::ONE).to_string()
    );
    assert_eq!(plan["balanceAfter"], json!(null));
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn a_cap_below_the_base_fee_is_told_before_anything_is_sent() {
    let anvil = Anvil::start();
    let operator = Operator::at(&anvil);
    let plan = &operator.answer(&[ALL, &["--max-fee-per-gas", "5wei"]].concat(), 1)["plan"];
    assert_eq!(plan["blockers"][0]["kind"], "feeAboveCap");
    assert_eq!(plan["fees"]["maxFeePerGas"], 5);
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn a_factory_that_reverts_is_not_the_factory() {
    let anvil = Anvil::start();
    anvil.ask("anvil_setCode", json!([FACTORY, "0x5f5ffd"]));
    let operator = Operator::at(&anvil);
    let plan = &operator.answer(ALL, 1)["plan"];
    assert_eq!(plan["factory"]["state"], "different");
    assert_eq!(plan["blockers"][0]["kind"], "factoryDiffers");
    assert_eq!(anvil.nonce(ACCOUNT), 0);
}

#[test]
fn a_missing_factory_is_offered_with_its_cost_and_deployed_when_asked_for() {
    let anvil = Anvil::start_with(&["--disable-default-create2-deployer"]);
    let operator = Operator::at(&anvil);
    let human = text(&operator.run(&["--chain", "anvil", "--dry-run"]).stdout);
    let offer = format!(
        "the CREATE2 factory {FACTORY} is not on this chain; --deploy-factory adds it to the plan: it sends 0.01 to {}",
        Keyless::SENDER
    );
    assert!(human.contains(&offer), "{human}");
    // Gas is estimated as if the factory were there.
    let plan = &operator.answer(&["--chain", "anvil", "--dry-run", "--deploy-factory"], 0)["plan"];
    assert_eq!(plan["factory"]["funding"], Keyless::cost().0.to_string());
    assert!(plan["contracts"][0]["gas"].as_u64().unwrap() > 100_000);

    operator.answer(&[ALL, &["--deploy-factory"]].concat(), 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64 + 1);
    // The second run neither needs the factory nor pays for it.
    operator.answer(&[ALL, &["--deploy-factory"]].concat(), 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64 + 1);
}

#[test]
fn somebody_else_who_deploys_first_is_welcome() {
    let anvil = Anvil::start();
    Operator::at(&anvil).answer(ALL, 0);
    // Another operator with another key and no records: everything is there, and is recorded as far as it is known.
    let other = Operator::without_key(&anvil);
    let answer = other.answer(&["--chain", "anvil"], 0);
    assert_eq!(answer["plan"]["sender"], json!(null));
    let record = other.record(31337);
    let entry = &record["contracts"][format!("{:#x}", suite().registry())];
    assert_eq!(
        (&entry["block"], &entry["transaction"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(
        entry["initCodeHash"],
        json!(suite().targets()[0].init_code_hash())
    );
    assert_ne!(suite().registry(), Address::ZERO);
}

#[test]
fn a_machine_without_certificates_still_reaches_a_node_of_its_own() {
    let anvil = Anvil::start();
    let operator = Operator::at(&anvil);
    let dry_run = |url: &str| {
        let mut command = operator.command(&["--chain", "anvil", "--dry-run", "--rpc-url", url]);
        let nowhere = [
            ("SSL_CERT_FILE", "/dev/null"),
            ("SSL_CERT_DIR", "/dev/null"),
        ];
        command.envs(nowhere).output().unwrap()
    };
    let secure = dry_run(&anvil.url.replace("http", "https"));
    assert_eq!(secure.status.code(), Some(3));
    let error = text(&secure.stderr);
    assert!(
        error.contains("are its root certificates installed?"),
        "{error}"
    );
    let plain = dry_run(&anvil.url);
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
}
