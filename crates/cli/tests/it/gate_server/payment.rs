use std::{
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use alloy_primitives::{Address, U256, address, hex};
use alloy_sol_types::{SolCall, sol};
use atr_loopback::{ACCOUNT, ACCOUNTS, HostileServer, Request, Response};
use serde_json::{Value, json};

use super::fixture::{GateFixture, HOLDER, Reply, RunningGate, sign};
use crate::facilitator::{Facilitator, Log, Settle};

sol! {
    function mint(address to, uint256 amount) external;
    function balanceOf(address account) external view returns (uint256);
}

const USDC: Address = address!("833589fcd6edb6e08f4c7c32d4f71b54bda02913");

/// Index of the account that is paid.
const OPERATOR: usize = 2;

/// 0.01 USDC.
pub(super) const PRICE: u64 = 10_000;

/// Tool 2, `paid`, is open to everyone who pays.
pub(super) struct PaidFixture {
    pub(super) gate: GateFixture,
    pub(super) facilitator: Facilitator,
}

impl PaidFixture {
    pub(super) fn new() -> Self {
        let gate = GateFixture::new();
        let chain = &gate.chain;
        let mut manifest = chain.manifest("paid");
        manifest["pricing"] = json!([{
            "amount": PRICE.to_string(),
            "asset": format!("eip155:8453/erc20:{USDC:#x}"),
            "recipient": format!("eip155:8453:{}", ACCOUNTS[OPERATOR].to_lowercase()),
            "protocol": "x402",
        }]);
        let hash = chain.serve("paid", &manifest);
        chain.register(ACCOUNT, &chain.uri("paid"), hash);
        let token = chain.deploy_mock("PlainERC3009", &[]);
        let code = chain.anvil.request("eth_getCode", json!([token, "latest"]));
        chain.set_code(USDC, code.as_str().unwrap());
        let mint = mintCall {
            to: ACCOUNTS[HOLDER].parse().unwrap(),
            amount: U256::from(10 * PRICE),
        };
        chain.send(ACCOUNT, USDC, &mint.abi_encode());
        let facilitator = Facilitator::start(&chain.anvil.url, Log::default());
        Self { gate, facilitator }
    }

    /// Arguments of a gate for the tool, without payments.
    fn args(&self, upstream: &str) -> Vec<String> {
        let args = ["gate", "--tool", "2", "--upstream", upstream];
        let own = args.iter().map(|arg| (*arg).to_owned());
        own.chain(self.gate.server_args()).collect()
    }

    pub(super) fn start(&self, upstream: &str, more: &[&str]) -> RunningGate {
        let args = self.args(upstream);
        let mut args: Vec<_> = args.iter().map(String::as_str).collect();
        args.extend(["--facilitator", &self.facilitator.url]);
        args.extend(more);
        self.gate.run(&args)
    }

    /// How much the operator has received.
    pub(super) fn paid(&self) -> u64 {
        let call = balanceOfCall {
            account: ACCOUNTS[OPERATOR].parse().unwrap(),
        };
        let call =
            json!([{ "to": USDC, "data": hex::encode_prefixed(call.abi_encode()) }, "latest"]);
        let balance = self.gate.chain.anvil.request("eth_call", call);
        let balance: U256 = balance.as_str().unwrap().parse().unwrap();
        balance.to()
    }
}

pub(super) fn post(gate: &RunningGate, headers: &[(&str, &str)], body: &str) -> Reply {
    let json = [("content-type", "application/json")];
    gate.send("POST /paid", &[headers, &json].concat(), body)
}

pub(super) fn credential(gate: &RunningGate) -> (String, String) {
    let bare = post(gate, &[], "{}");
    assert_eq!(bare.status, 402, "{bare:?}");
    sign(&bare, HOLDER)
}

#[test]
fn the_price_of_the_manifest_is_paid_once() {
    // L-18
    let fixture = PaidFixture::new();
    let gate = fixture.start(
        &fixture.gate.upstream_url(),
        &["--ephemeral", "--price", "0.01"],
    );
    let price = &gate.report["tools"][0]["prices"][0];
    assert_eq!(
        (&price["amount"], &price["payTo"]),
        (&json!("0.01"), &json!(ACCOUNTS[OPERATOR]))
    );
    assert!(gate.report["warnings"].to_string().contains("--ephemeral"));
    let bare = post(&gate, &[], "{}").json();
    assert_eq!(bare["accepts"][0]["maxAmountRequired"], PRICE.to_string());
    assert_eq!(bare["accepts"][0]["payTo"], ACCOUNTS[OPERATOR]);

    let (name, value) = credential(&gate);
    let reply = post(&gate, &[(&name, &value)], "{}");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.json()["caller"], ACCOUNTS[HOLDER]);
    assert!(reply.header("payment-response").is_some(), "{reply:?}");
    assert_eq!(fixture.paid(), PRICE);
    let request = &fixture.gate.received()[0];
    assert_eq!(request.header("x-tool-paid"), Some("true"));

    // The same request gets the same answer; another request cannot use the payment.
    let again = post(&gate, &[(&name, &value)], "{}");
    assert_eq!((again.status, again.body), (200, reply.body));
    let other = post(&gate, &[(&name, &value)], r#"{"other": true}"#);
    assert_eq!(other.status, 402, "{other:?}");
    assert_eq!(fixture.gate.received().len(), 1);
    assert_eq!(fixture.paid(), PRICE);
}

#[test]
fn nothing_is_paid_for_a_call_that_failed() {
    // L-19
    let fixture = PaidFixture::new();
    let gate = fixture.start("http://127.0.0.1:1", &["--ephemeral"]);
    let (name, value) = credential(&gate);
    let reply = post(&gate, &[(&name, &value)], "{}");
    let code = reply.json()["code"].clone();
    assert_eq!(
        (reply.status, code),
        (502, json!("upstream_unreachable")),
        "{reply:?}"
    );
    assert_eq!(fixture.paid(), 0);
}

#[test]
fn an_answer_that_is_not_paid_for_is_withheld() {
    // L-20
    let fixture = PaidFixture::new();
    fixture.facilitator.set_settle(Settle::Refuse);
    let gate = fixture.start(&fixture.gate.upstream_url(), &["--ephemeral"]);
    let (name, value) = credential(&gate);
    let reply = post(&gate, &[(&name, &value)], "{}");
    assert_eq!(reply.status, 502, "{reply:?}");
    assert!(!reply.body.contains("caller"), "{reply:?}");
    assert_eq!(fixture.paid(), 0);
}

#[test]
fn a_gate_that_cannot_collect_the_price_does_not_start() {
    let fixture = PaidFixture::new();
    let args = fixture.args(&fixture.gate.upstream_url());
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let url = &fixture.facilitator.url;
    for (more, code, expected) in [
        (vec![], 2, "use --facilitator"),
        (vec!["--facilitator", url], 2, "use --store"),
        (
            vec!["--facilitator", url, "--ephemeral", "--price", "0.02"],
            1,
            "the manifest says 0.01 USDC",
        ),
        (
            vec!["--facilitator", url, "--ephemeral", "--price", "0"],
            1,
            "the manifest says 0.01 USDC",
        ),
        (
            vec!["--facilitator", url, "--ephemeral", "--operator", ACCOUNT],
            1,
            "not the operator",
        ),
    ] {
        let output = fixture.gate.chain.atr.output(&[&args[..], &more].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{more:?}: {error}");
        assert!(error.contains(expected), "{more:?}: {error}");
    }
}

#[test]
fn a_killed_gate_remembers_what_was_paid() {
    let fixture = PaidFixture::new();
    let url = fixture.gate.upstream_url();
    let gate = fixture.start(&url, &["--store", "payments.sqlite"]);
    assert_eq!(gate.report["warnings"], json!([]));
    let (name, value) = credential(&gate);
    let reply = post(&gate, &[(&name, &value)], "{}");
    assert_eq!(reply.status, 200, "{reply:?}");
    gate.kill();
    let gate = fixture.start(&url, &["--store", "payments.sqlite"]);
    let again = post(&gate, &[(&name, &value)], "{}");
    assert_eq!((again.status, again.body), (200, reply.body));
    let other = post(&gate, &[(&name, &value)], r#"{"other": true}"#);
    assert_eq!(other.status, 402, "{other:?}");
    assert_eq!(fixture.paid(), PRICE);
    assert_eq!(fixture.gate.received().len(), 1);
}

/// An upstream server that answers when the test says so.
fn blocked_server() -> (HostileServer, Receiver<()>, Sender<()>) {
    let (arrived, arrival) = channel();
    let (release, released) = channel();
    let (arrived, released) = (Mutex::new(arrived), Mutex::new(released));
    let server = HostileServer::over_tcp(move |connection| {
        if Request::read(connection).is_none() {
            return;
        }
        let _ = arrived.lock().unwrap().send(());
        let _ = released.lock().unwrap().recv();
        let response = Response::new(200, r#"{"answer": 42}"#);
        let response = response.with_header("content-type", "application/json");
        let _ = response.write(connection);
        connection.close();
    });
    (server, arrival, release)
}

#[test]
fn shutdown_finishes_a_call_and_its_payment() {
    let fixture = PaidFixture::new();
    let (server, arrival, release) = blocked_server();
    let gate = fixture.start(
        &format!("http://{}", server.address()),
        &["--ephemeral", "-v"],
    );
    let (name, value) = credential(&gate);
    let client = gate.client();
    let call = thread::spawn(move || client.send("POST /paid", &[(&name, &value)], "{}"));
    arrival.recv().unwrap();
    let mut gate = gate;
    gate.signal("-TERM");
    gate.wait_for_log("finishing the requests in progress");
    release.send(()).unwrap();
    let reply = call.join().unwrap();
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer: Value = reply.json();
    assert_eq!(answer["answer"], 42);
    assert_eq!(fixture.paid(), PRICE);
    assert_eq!(gate.wait(), 0);
}
