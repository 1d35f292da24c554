use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_loopback::{ACCOUNT, Action, RpcProxy};
use serde_json::{Value, json};

use crate::access::RETURNS_ONE;
use crate::fixture::Fixture;
use crate::gate::Tokens;

/// A request of `atr` to its node, and what happens to it.
type KillStep = (&'static str, usize, Action);

/// Steps at which a registration with a gate is killed: before a request reaches the node, or after.
const STEPS: [KillStep; 8] = [
    ("eth_estimateGas", 1, Action::Hold),
    // In the journal, not sent.
    ("eth_sendRawTransaction", 1, Action::Hold),
    // Sent, response lost.
    ("eth_sendRawTransaction", 1, Action::ForwardAndHold),
    // Registered, receipt not read.
    ("eth_getTransactionReceipt", 1, Action::Hold),
    // Registered, configuration not planned.
    ("eth_estimateGas", 2, Action::Hold),
    ("eth_sendRawTransaction", 2, Action::Hold),
    ("eth_sendRawTransaction", 2, Action::ForwardAndHold),
    // Configured, receipt not read.
    ("eth_getTransactionReceipt", 2, Action::Hold),
];

const GATES: &str = "erc721:$NFT and not erc1155:$ITEMS:7";

const GATE: [&str; 2] = ["--nft-gate", "0x7272727272727272727272727272727272727272"];

fn number(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

/// The cost of the whole gas limit of a planned transaction at the base fee.
fn lowest_cost(planned: &Value) -> U256 {
    let number = |value: &Value| U256::from(value.as_u64().unwrap());
    number(&planned["gasLimit"]) * number(&planned["fees"]["baseFeePerGas"])
}

impl Fixture {
    fn spawn_with(&self, args: &[&str], stderr: Stdio) -> Child {
        let host = self.host();
        let allow = ["--allow-host", &host, "--ca-file", "ca.pem"];
        let mut command = self.atr.command(&[args, &allow].concat());
        command
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .unwrap()
    }

    /// Kills a command that fetches from the loopback server.
    fn kill_fetching_at(&self, step: KillStep, args: &[&str]) {
        let host = self.host();
        let allow = ["--allow-host", &host, "--ca-file", "ca.pem"];
        self.kill_at(step, &[args, &allow].concat());
    }

    fn tool_count(&self) -> U256 {
        let data =
            alloy_primitives::hex::encode_prefixed(IToolRegistry::toolCountCall {}.abi_encode());
        let call = json!([{ "to": Self::registry(), "data": data }, "latest"]);
        let count = self.anvil.request("eth_call", call);
        count.as_str().unwrap().parse().unwrap()
    }

    fn journal_is_empty(&self) -> bool {
        let name = format!("31337-{}.json", ACCOUNT.to_lowercase());
        !self.atr.path("state/journal").join(name).exists()
    }
}

impl Fixture {
    /// Starts a command and kills it with SIGKILL at this request: no handler runs, nothing is flushed.
    fn kill_at(&self, (method, nth, action): KillStep, args: &[&str]) {
        let proxy = RpcProxy::start(&self.anvil.url, move |request| {
            let is_step = request.method == method && request.nth == nth;
            if is_step {
                action.clone()
            } else {
                Action::Forward
            }
        });
        let args = [args, &["--rpc-url", &proxy.url]].concat();
        let mut process = self
            .atr
            .command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _ = proxy.wait_until_held();
        process.kill().unwrap();
        process.wait().unwrap();
    }
}

#[test]
fn a_killed_registration_is_registered_once_and_configured_once() {
    let fixture = Fixture::new();
    fixture.set_code(GATE[1].parse().unwrap(), RETURNS_ONE);
    for (index, kill_step) in STEPS.into_iter().enumerate() {
        let step = format!("{kill_step:?}");
        let slug = format!("tool{index}");
        fixture.serve(&slug, &fixture.manifest(&slug));
        let (uri, before) = (fixture.uri(&slug), fixture.anvil.nonce(ACCOUNT));
        let count = fixture.tool_count();
        let register = [&["tool", "register", &uri, "--yes"][..], &GATE].concat();
        fixture.kill_fetching_at(kill_step, &register);

        let report = fixture.json(&register, 0);
        assert_eq!(fixture.tool_count(), count + U256::ONE, "{step}");
        assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 2, "{step}: {report}");
        assert_eq!(report["tool"], Fixture::tool(count + U256::ONE), "{step}");
        assert_eq!(
            report["transactions"].as_array().unwrap().len(),
            2,
            "{step}"
        );
        assert!(fixture.journal_is_empty(), "{step}");
        let tool = report["tool"].as_str().unwrap();
        let shown = fixture
            .plain_json(&["predicate", "show", tool], 0)
            .to_string();
        assert!(shown.contains(GATE[1]), "{step}: {shown}");
    }
}

#[test]
fn a_killed_registration_with_a_composite_gate_is_configured_once() {
    let tokens = Tokens::new();
    let (fixture, gate) = (&tokens.fixture, tokens.expression(GATES));
    for (index, step) in [
        ("eth_sendRawTransaction", 2, Action::Hold),
        ("eth_sendRawTransaction", 3, Action::ForwardAndHold),
        // Both conditions are configured; the composite is sent, its receipt is not read.
        ("eth_sendRawTransaction", 4, Action::ForwardAndHold),
        ("eth_getTransactionReceipt", 4, Action::Hold),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{step:?}");
        let slug = format!("tool{index}");
        fixture.serve(&slug, &fixture.manifest(&slug));
        let (uri, before) = (fixture.uri(&slug), fixture.anvil.nonce(ACCOUNT));
        let count = fixture.tool_count();
        let register = ["tool", "register", &uri, "--yes", "--gate", &gate];
        fixture.kill_fetching_at(step, &register);
        let report = fixture.json(&register, 0);
        assert_eq!(fixture.tool_count(), count + U256::ONE, "{name}");
        assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 4, "{name}: {report}");
        assert!(fixture.journal_is_empty(), "{name}");
        let tool = (count + U256::ONE).to_string();
        assert_eq!(tokens.access(&tool, ACCOUNT), "denied", "{name}");
    }
}

#[test]
fn a_killed_change_of_the_gate_is_continued() {
    let tokens = Tokens::new();
    let (fixture, gate) = (&tokens.fixture, tokens.expression(GATES));
    for step in [
        ("eth_sendRawTransaction", 1, Action::Hold),
        ("eth_sendRawTransaction", 2, Action::ForwardAndHold),
        ("eth_sendRawTransaction", 4, Action::ForwardAndHold),
    ] {
        let name = format!("{step:?}");
        let tool = fixture.register_gated(Address::ZERO).to_string();
        let before = fixture.anvil.nonce(ACCOUNT);
        let set = ["tool", "set-predicate", &tool, "--yes", "--gate", &gate];
        fixture.kill_at(step, &set);
        let output = fixture.atr.output(&set);
        assert!(output.status.success(), "{name}: {output:?}");
        // Two conditions, the composite and the access predicate.
        assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 4, "{name}");
        assert_eq!(tokens.access(&tool, ACCOUNT), "denied", "{name}");
    }
}

#[test]
fn a_registration_that_timed_out_is_continued_from_another_directory() {
    let fixture = Fixture::new();
    fixture.set_code(GATE[1].parse().unwrap(), RETURNS_ONE);
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let (uri, before) = (fixture.uri("oracle"), fixture.anvil.nonce(ACCOUNT));
    let register = [&["tool", "register", &uri, "--yes"][..], &GATE].concat();
    fixture.anvil.request("evm_setAutomine", json!([false]));
    let output = fixture.output(&[&register[..], &["--timeout", "0"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(
        error.contains("safe to interrupt: the same command continues\nsent "),
        "{error}"
    );
    assert!(
        error.contains("run the same command again to continue"),
        "{error}"
    );
    fixture.anvil.request("evm_setAutomine", json!([true]));

    // Another command in between takes another nonce and leaves the registration in the journal.
    let other = tempfile::tempdir().unwrap();
    let host = fixture.host();
    let ca_file = fixture.atr.path("ca.pem").display().to_string();
    let allow = ["--allow-host", &host, "--ca-file", &ca_file, "--json"];
    let mut command = fixture
        .atr
        .command_in(other.path(), &[&register[..], &allow].concat());
    let output = command.output().unwrap();
    let report = crate::atr::parse_json(&output.stdout, 0);
    // The plan shows the transaction that is continued.
    let continued = &report["planned"][0]["pending"];
    assert_eq!(*continued, report["transactions"][0]["transaction"]);
    assert_eq!(fixture.tool_count(), U256::ONE);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 2);
    assert!(fixture.journal_is_empty());
    // A finished registration can be repeated. What was sent is not printed as unsigned.
    let report = fixture.json(&register, 0);
    assert!(!report.to_string().contains("unsigned"), "{report}");
    assert_eq!(fixture.tool_count(), U256::from(2));
}

#[test]
fn a_registration_can_be_interrupted_as_soon_as_its_transaction_is_printed() {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let (uri, before) = (fixture.uri("oracle"), fixture.anvil.nonce(ACCOUNT));
    let register = ["tool", "register", &uri, "--yes"];
    // No response to the poll for the receipt: the line is printed before it.
    let proxy = RpcProxy::start(&fixture.anvil.url, |request| {
        match request.method.as_str() {
            "eth_getTransactionReceipt" => Action::Hold,
            _ => Action::Forward,
        }
    });
    let mut process = fixture.spawn_with(
        &[&register[..], &["--rpc-url", &proxy.url]].concat(),
        Stdio::piped(),
    );
    let stderr = BufReader::new(process.stderr.take().unwrap());
    let mut lines = stderr.lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("safe to interrupt")));
    let sent = lines.find(|line| line.starts_with("sent ")).unwrap();
    // Ctrl-C.
    let pid = process.id().to_string();
    let interrupted = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(interrupted.success());
    assert!(!process.wait().unwrap().success());

    let report = fixture.json(&register, 0);
    let transaction = report["transactions"][0]["transaction"].as_str().unwrap();
    assert!(sent.contains(transaction), "{sent}: {report}");
    assert_eq!(fixture.tool_count(), U256::ONE);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
    assert!(fixture.journal_is_empty());
}

#[test]
fn a_transaction_of_the_users_wallet_is_waited_for() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let deny = crate::fixture::address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny, "--yes", "--timeout"];
    fixture.anvil.request("evm_setAutomine", json!([false]));
    let pending = fixture.atr.output(&[&set[..], &["0"]].concat());
    assert_eq!(pending.status.code(), Some(3), "{pending:?}");
    // The user cancels it with a wallet.
    let nonce = fixture.anvil.nonce(ACCOUNT);
    let cancel = json!({
        "from": ACCOUNT, "to": ACCOUNT, "nonce": format!("{nonce:#x}"), "gas": "0x5208",
        "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x77359400",
    });
    let cancel = fixture
        .anvil
        .request("eth_sendTransaction", json!([cancel]));
    let waiting = fixture.atr.output(&[&set[..], &["0"]].concat());
    assert_eq!(waiting.status.code(), Some(3), "{waiting:?}");
    let error = String::from_utf8_lossy(&waiting.stderr).into_owned();
    let warning = format!("another transaction with nonce {nonce} is pending; it is not replaced");
    assert!(error.contains(&warning), "{error}");
    fixture.anvil.request("evm_mine", json!([]));
    assert_eq!(fixture.anvil.receipt(&cancel)["status"], "0x1");
    fixture.anvil.request("evm_setAutomine", json!([true]));
    fixture.plain_json(&[&set[..], &["60"]].concat(), 0);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), nonce + 2);
}

#[test]
fn a_killed_update_is_not_taken_for_a_later_one_with_the_same_call() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let deny = crate::fixture::address_of("AlwaysDenyPredicate").to_string();
    let step = ("eth_getTransactionReceipt", 1, Action::Hold);
    fixture.kill_at(step, &["tool", "set-predicate", &tool, &deny, "--yes"]);
    // Undone, then set again: the second one is sent.
    let before = fixture.anvil.nonce(ACCOUNT);
    for predicate in ["open", &deny] {
        let set = ["tool", "set-predicate", &tool, predicate, "--yes"];
        fixture.plain_json(&set, 0);
    }
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 2);
}

#[test]
fn prints_unsigned_transactions_and_a_safe_batch_without_a_signer() {
    let fixture = Fixture::new();
    fixture.set_code(GATE[1].parse().unwrap(), RETURNS_ONE);
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let (uri, before) = (fixture.uri("oracle"), fixture.anvil.nonce(ACCOUNT));
    let register = [&["tool", "register", &uri][..], &GATE].concat();
    let report = fixture.json(&[&register[..], &["--unsigned"]].concat(), 0);
    let unsigned = report["unsigned"].as_array().unwrap();
    assert_eq!(unsigned.len(), 2, "{report}");
    assert_eq!(unsigned[0]["to"], json!(Fixture::registry()));
    assert_eq!(unsigned[0]["value"], "0");
    // The configuration has the id that the registration will get.
    let data = unsigned[1]["data"].as_str().unwrap();
    assert_eq!(&data[10..74], format!("{:064x}", 1));
    let text = fixture.output(&[&register[..], &["--unsigned"]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains(data), "{text}");

    fixture.json(&[&register[..], &["--safe", "batch.json"]].concat(), 0);
    let batch = std::fs::read(fixture.atr.path("batch.json")).unwrap();
    let batch: serde_json::Value = serde_json::from_slice(&batch).unwrap();
    assert_eq!(batch["chainId"], "31337");
    assert_eq!(batch["transactions"][1]["data"], data);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    assert!(fixture.journal_is_empty());
}

#[test]
fn the_signature_stays_within_the_maximum_cost() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    let deny = crate::fixture::address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny];
    let planned = fixture.plain_json(&[&set[..], &["--dry-run"]].concat(), 0)["planned"][0].clone();
    let run = |limit: U256, code| {
        let max_cost = format!("{limit}wei");
        fixture.plain_json(
            &[&set[..], &["--yes", "--max-cost", &max_cost]].concat(),
            code,
        )
    };
    // The signature covers the gas limit, so it can need more than the expected cost.
    let lowest = number(&planned["expectedCost"]).max(lowest_cost(&planned));
    let blocked = run(lowest - U256::ONE, 1);
    let blocker = blocked["blockers"][0].as_str().unwrap();
    assert!(blocker.contains("raise --max-cost"), "{blocker}");
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    let limit = lowest;
    let done = run(limit, 0);
    assert_eq!(done["maxCost"], limit.to_string());
    let mined = &done["transactions"][0];
    let hash = json!([mined["transaction"]]);
    let signed = fixture.anvil.request("eth_getTransactionByHash", hash);
    assert!(number(&signed["gas"]) * number(&signed["maxFeePerGas"]) <= limit);
    let fee = number(&mined["fee"]);
    assert!(fee > U256::ZERO && fee <= limit);
}

#[test]
fn the_registration_leaves_the_cost_of_the_configuration() {
    let fixture = Fixture::new();
    fixture.set_code(GATE[1].parse().unwrap(), RETURNS_ONE);
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    let register = [&["tool", "register", &uri][..], &GATE].concat();
    let plan = fixture.json(&[&register[..], &["--dry-run"]].concat(), 0);
    let (planned, follow_up) = (
        &plan["planned"][0],
        number(&plan["followUps"][0]["maxCost"]),
    );
    // Less than the registration would use if it were alone.
    let lowest = number(&planned["expectedCost"]).max(lowest_cost(planned));
    let share = (lowest + number(&planned["maxCost"])) / U256::from(2);
    let limit = format!("{}wei", share + follow_up);
    let done = fixture.json(
        &[&register[..], &["--yes", "--max-cost", &limit]].concat(),
        0,
    );
    let hash = json!([done["transactions"][0]["transaction"]]);
    let signed = fixture.anvil.request("eth_getTransactionByHash", hash);
    let cost = number(&signed["gas"]) * number(&signed["maxFeePerGas"]);
    assert!(cost <= share, "{cost} {share}");
}
