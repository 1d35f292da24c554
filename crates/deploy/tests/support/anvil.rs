//! A local chain that ends with the test.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::http;

/// The key of anvil's first account: public, worth nothing on any other chain.
pub(crate) const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
pub(crate) const ACCOUNT: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

pub(crate) struct Anvil {
    process: Child,
    pub(crate) url: String,
}

impl Anvil {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(args: &[&str]) -> Self {
        let mut process = Command::new(binary("ANVIL", "anvil"))
            .args(["--port", "0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("anvil starts: `make deps` installs it, or name one with ANVIL");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines
            .find_map(|line| {
                line.unwrap()
                    .strip_prefix("Listening on ")?
                    .rsplit(':')
                    .next()?
                    .parse::<u16>()
                    .ok()
            })
            .expect("anvil says where it listens");
        // What it goes on to say must be read, or it stops.
        thread::spawn(move || lines.for_each(drop));
        Self {
            process,
            url: format!("http://127.0.0.1:{port}"),
        }
    }

    /// Asks the node itself, past any proxy; a failure ends the test.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = http::post(&self.url, request.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The receipt of a transaction; anvil makes its block a moment after it took it.
    pub(crate) fn receipt(&self, hash: &Value) -> Value {
        let ask = |_| self.ask("eth_getTransactionReceipt", json!([hash]));
        let found = (0..1000).map(ask).find(|receipt| !receipt.is_null());
        found.expect("the transaction gets into a block")
    }

    /// How many transactions an account has in blocks.
    pub(crate) fn nonce(&self, account: &str) -> u64 {
        let count = self.ask("eth_getTransactionCount", json!([account, "latest"]));
        u64::from_str_radix(count.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Foundry's tool for keys and calls.
pub(crate) fn cast() -> PathBuf {
    binary("CAST", "cast")
}

/// The pinned binary, or the one the Makefile names instead.
#[expect(
    clippy::disallowed_methods,
    reason = "the Makefile names other binaries this way, for tests as for itself"
)]
pub(crate) fn binary(variable: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os(variable) {
        // Relative to the root, where make runs.
        Some(path) if Path::new(&path).components().count() > 1 => root.join(path),
        Some(name) => name.into(),
        None => root.join("contracts/node_modules/.bin").join(name),
    }
}
