use std::{fs, path::Path, process::Child};

use alloy_primitives::{U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_loopback::{ACCOUNTS, binary, request};
use serde_json::{Value, json};

use crate::atr::{Atr, start_server};

sol! {
    function balanceOf(address account) external view returns (uint256);
    function burn(uint256 tokenId) external;
}

/// A running `atr dev`. It is killed when the value is dropped.
struct Dev {
    process: Child,
    report: Value,
    atr: Atr,
    /// The variables that it wrote.
    variables: Vec<(String, String)>,
}

fn npm() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("tests/clients").canonicalize().unwrap();
    folder.to_str().unwrap().to_owned()
}

impl Dev {
    fn start(npm: &str) -> Self {
        let anvil = binary("ANVIL", "anvil");
        let args = [
            "dev",
            "--json",
            "--port",
            "0",
            "--rpc-port",
            "0",
            "--index-port",
            "0",
            "--npm",
            npm,
        ];
        let atr = Atr::new();
        let mut command = atr.command(&[&args[..], &["--anvil", anvil.to_str().unwrap()]].concat());
        command.env("PATH", path()).env("TMPDIR", atr.path(""));
        let (process, report) = start_server(&mut command);
        let file = fs::read_to_string(report["environment"].as_str().unwrap()).unwrap();
        let lines = file.lines().filter(|line| !line.contains("$PATH"));
        let variables = lines.map(|line| {
            let line = line.strip_prefix("export ").unwrap();
            let (name, value) = line.split_once('=').unwrap();
            (name.to_owned(), value.trim_matches('\'').to_owned())
        });
        Self {
            variables: variables.collect(),
            process,
            report,
            atr,
        }
    }

    fn rpc(&self, method: &str, params: Value) -> Value {
        request(self.report["rpcUrl"].as_str().unwrap(), method, params)
    }

    fn balance(&self, index: usize) -> U256 {
        let call = balanceOfCall {
            account: ACCOUNTS[index].parse().unwrap(),
        };
        let data = hex::encode_prefixed(call.abi_encode());
        let call = json!([{ "to": self.report["usdc"], "data": data }, "latest"]);
        self.rpc("eth_call", call)
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Exit code and JSON of a call with the key of an account.
    fn call(&self, index: usize, args: &[&str]) -> (i32, Value) {
        let call = ["call", "--data", r#"{"query":"eth"}"#, "--json"];
        let output = self
            .atr
            .command(&[&call[..], args].concat())
            .envs(self.variables.iter().cloned())
            .env("ATR_PRIVATE_KEY", atr_loopback::KEYS[index])
            .output()
            .unwrap();
        let report = serde_json::from_slice(&output.stdout);
        let report = report.unwrap_or_else(|_| panic!("{output:?}"));
        (output.status.code().unwrap(), report)
    }

    /// Ends the process with a signal and returns its exit code.
    fn stop(mut self, signal: &str) -> Option<i32> {
        let id = self.process.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &id])
            .status();
        assert!(sent.unwrap().success());
        self.process.wait().unwrap().code()
    }

    /// Waits until the chain is gone.
    fn wait_for_end(report: &Value) {
        let host = report["rpcUrl"]
            .as_str()
            .unwrap()
            .trim_start_matches("http://");
        let mut attempts = 0..1_000_000;
        let is_gone = |_| std::net::TcpStream::connect(host).is_err();
        assert!(attempts.any(is_gone), "anvil still runs");
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Node.js and sh are there; everything else is a flag.
fn path() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "tests run the programs of this machine"
    )]
    std::env::var("PATH").unwrap()
}

const HOLDER: usize = 1;
const OTHER: usize = 2;

#[test]
fn serves_a_gated_and_a_paid_tool_until_it_is_stopped() {
    let dev = Dev::start(&npm());
    let report = dev.report.clone();
    let (code, denied) = dev.call(OTHER, &["1"]);
    assert_eq!(
        (code, &denied["answer"]["status"]),
        (1, &json!(403)),
        "{denied}"
    );
    let (code, granted) = dev.call(HOLDER, &["1"]);
    assert_eq!(code, 0, "{granted}");
    assert_eq!(granted["answer"]["body"]["caller"], ACCOUNTS[HOLDER]);

    // `make test-rust` installs the packages of the facilitator.
    if Path::new(&npm()).join("node_modules").is_dir() {
        assert_eq!(report["missing"], Value::Null);
        let before = (dev.balance(HOLDER), dev.balance(0));
        let price = U256::from(10_000);
        let (code, paid) = dev.call(HOLDER, &["2", "--max-amount", "0.01", "--yes"]);
        assert_eq!(code, 0, "{paid}");
        assert_eq!(paid["answer"]["body"]["paid"], "true");
        let after = (dev.balance(HOLDER), dev.balance(0));
        assert_eq!(after, (before.0 - price, before.1 + price));
    }

    // Both sample tools become verified, and are found.
    let mut searches = (0..1_000).map(|_| {
        let search = dev.atr.command(&["search", "price", "--json"]);
        let output = { search }.envs(dev.variables.iter().cloned()).output();
        serde_json::from_slice::<Value>(&output.unwrap().stdout).unwrap()
    });
    let count = report["tools"].as_array().unwrap().len();
    let is_found = |page: &Value| page["results"].as_array().map(Vec::len) == Some(count);
    let page = searches.find(is_found).expect("the tools are indexed");
    assert_eq!(page["results"][0]["verified"], true, "{page}");

    let burn = hex::encode_prefixed(burnCall { tokenId: U256::ONE }.abi_encode());
    let collection = report["collection"].clone();
    dev.rpc(
        "eth_sendTransaction",
        json!([{ "from": ACCOUNTS[HOLDER], "to": collection, "data": burn }]),
    );
    let mut calls = (0..100).map(|_| dev.call(HOLDER, &["1"]).0);
    assert!(
        calls.any(|code| code == 1),
        "the holder is denied without the token"
    );

    assert_eq!(dev.stop("-INT"), Some(0));
    assert!(!Path::new(report["environment"].as_str().unwrap()).exists());
    Dev::wait_for_end(&report);
}

#[test]
fn without_npm_packages_there_is_no_paid_tool() {
    let empty = tempfile::tempdir().unwrap();
    let dev = Dev::start(empty.path().to_str().unwrap());
    let report = dev.report.clone();
    assert_eq!(report["tools"].as_array().unwrap().len(), 1);
    let missing = report["missing"].as_str().unwrap();
    assert!(missing.contains("npm install"), "{missing}");
    // Nothing is left behind even if it is killed.
    assert_eq!(dev.stop("-KILL"), None);
    Dev::wait_for_end(&report);
}
