use atr_bindings::CONTRACTS;
use atr_loopback::{ACCOUNT, Action, Anvil, RpcProxy};
use serde_json::Value;

use super::Operator;

/// Steps at which a run is killed: before a request reaches the node, or after.
const STEPS: [(&str, usize, Action); 15] = [
    ("eth_chainId", 1, Action::Hold),
    ("eth_feeHistory", 1, Action::Hold),
    ("eth_getCode", 3, Action::Hold),
    ("eth_estimateGas", 10, Action::Hold),
    ("eth_getBalance", 1, Action::Hold),
    ("eth_getTransactionCount", 1, Action::Hold),
    // In the journal, not sent.
    ("eth_sendRawTransaction", 1, Action::Hold),
    // Sent, response lost.
    ("eth_sendRawTransaction", 1, Action::ForwardAndHold),
    ("eth_sendRawTransaction", 6, Action::Hold),
    ("eth_sendRawTransaction", 6, Action::ForwardAndHold),
    ("eth_sendRawTransaction", 10, Action::ForwardAndHold),
    // Mined, receipt not read.
    ("eth_getTransactionReceipt", 1, Action::Hold),
    ("eth_getTransactionReceipt", 7, Action::Hold),
    // Receipt read, not checked or recorded.
    ("eth_getStorageAt", 1, Action::Hold),
    ("eth_call", 31, Action::Hold),
];

/// Kills a run at one step, resumes it, and asserts that nothing was paid twice and the record is complete. Each step has its
/// own salt, so that all steps share a chain.
fn assert_resumes(anvil: &Anvil, index: usize) {
    let (method, nth, action) = STEPS[index].clone();
    let salt = format!("0x{index:064x}");
    let args = ["--chain", "anvil", "--yes", "--salt", &salt];
    let before = anvil.nonce(ACCOUNT);
    let held = action.clone();
    let proxy = RpcProxy::start(&anvil.url, move |request| {
        let is_step = request.method == method && request.nth == nth;
        if is_step {
            held.clone()
        } else {
            Action::Forward
        }
    });
    let operator = Operator::with_url(&proxy.url);
    let mut process = operator.start(&args);
    let held = proxy.wait_until_held();
    assert_eq!((held.method.as_str(), held.nth), (method, nth));
    // SIGKILL: no handler runs, nothing is flushed.
    process.kill().unwrap();
    process.wait().unwrap();
    let step = format!("{method} {nth} {action:?}");
    let sent = proxy
        .counts()
        .get("eth_sendRawTransaction")
        .copied()
        .unwrap_or(0);
    assert_eq!(operator.journal_exists(31337), sent > 0, "{step}");

    let operator = operator.using(&anvil.url);
    let report = operator.json(&args, 0);
    let paid = anvil.nonce(ACCOUNT) - before;
    assert_eq!(paid, CONTRACTS.len() as u64, "{step}");
    let contracts = operator.record(31337)["contracts"].clone();
    let entries: Vec<&Value> = contracts.as_object().unwrap().values().collect();
    assert_eq!(entries.len(), CONTRACTS.len(), "{step}");
    for entry in entries {
        assert!(
            entry["transaction"].is_string() && entry["block"].is_u64(),
            "{step}: {entry}"
        );
    }
    assert!(!operator.journal_exists(31337), "{step}: {report}");
}

#[test]
fn restarts_if_killed_before_sending() {
    let anvil = Anvil::start();
    (0..6).for_each(|step| assert_resumes(&anvil, step));
}

#[test]
fn resumes_if_killed_while_sending_without_paying_twice() {
    let anvil = Anvil::start();
    (6..11).for_each(|step| assert_resumes(&anvil, step));
}

#[test]
fn resumes_if_killed_after_sending() {
    let anvil = Anvil::start();
    (11..STEPS.len()).for_each(|step| assert_resumes(&anvil, step));
}

#[test]
fn resumes_if_killed_while_deploying_the_factory() {
    // The presigned transaction of the factory is tried first. The second transaction funds its sender, the third is the
    // presigned one again.
    for (nth, action) in [
        (1, Action::Hold),
        (2, Action::Hold),
        (2, Action::ForwardAndHold),
        (3, Action::Hold),
        (3, Action::ForwardAndHold),
    ] {
        let anvil = Anvil::start_with(&["--disable-default-create2-deployer"]);
        let held = action.clone();
        let proxy = RpcProxy::start(&anvil.url, move |request| {
            let is_step = request.method == "eth_sendRawTransaction" && request.nth == nth;
            if is_step {
                held.clone()
            } else {
                Action::Forward
            }
        });
        let args = [
            "--chain",
            "anvil",
            "--yes",
            "--deploy-factory",
            "--only",
            "ToolRegistry",
        ];
        let operator = Operator::with_url(&proxy.url);
        let mut process = operator.start(&args);
        let _ = proxy.wait_until_held();
        process.kill().unwrap();
        process.wait().unwrap();
        let operator = operator.using(&anvil.url);
        operator.json(&args, 0);
        // One transaction for the funding, one for the contract.
        assert_eq!(anvil.nonce(ACCOUNT), 2, "{nth} {action:?}");
        assert!(!operator.journal_exists(31337));
    }
}

#[test]
fn rejects_a_concurrent_run() {
    let anvil = Anvil::start();
    let proxy = RpcProxy::start(&anvil.url, |request| match request.method.as_str() {
        "eth_sendRawTransaction" => Action::Hold,
        _ => Action::Forward,
    });
    let operator = Operator::with_url(&proxy.url);
    let args = ["--chain", "anvil", "--yes"];
    let mut first = operator.start(&args);
    let _ = proxy.wait_until_held();
    let operator = operator.using(&anvil.url);
    let error = operator.error(&args, 3);
    assert!(
        error.contains("another process is sending transactions of"),
        "{error}"
    );
    first.kill().unwrap();
    first.wait().unwrap();
    operator.json(&args, 0);
    assert_eq!(anvil.nonce(ACCOUNT), CONTRACTS.len() as u64);
}
