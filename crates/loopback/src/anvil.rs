//! A local chain that ends with the test.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::http::end_of_head;

/// Keys of anvil's first accounts: public, worth nothing on any other chain.
pub const KEYS: [&str; 3] = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
];

/// The accounts of those keys.
pub const ACCOUNTS: [&str; 3] = [
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
];

/// The key of anvil's first account.
pub const KEY: &str = KEYS[0];

/// Anvil's first account.
pub const ACCOUNT: &str = ACCOUNTS[0];

/// A chain on loopback. It needs what `make deps` installs.
#[derive(Debug)]
pub struct Anvil {
    process: Child,
    /// Where it listens.
    pub url: String,
}

impl Anvil {
    /// Starts one as it comes.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one with arguments of its own.
    #[must_use]
    pub fn start_with(args: &[&str]) -> Self {
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
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = post(&self.url, request.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The receipt of a transaction; anvil makes its block a moment after it took it.
    #[must_use]
    pub fn receipt(&self, hash: &Value) -> Value {
        let ask = |_| self.ask("eth_getTransactionReceipt", json!([hash]));
        let found = (0..1000).map(ask).find(|receipt| !receipt.is_null());
        found.expect("the transaction gets into a block")
    }

    /// How many transactions an account has in blocks.
    #[must_use]
    pub fn nonce(&self, account: &str) -> u64 {
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
#[must_use]
pub fn cast() -> PathBuf {
    binary("CAST", "cast")
}

/// The pinned binary, or the one the Makefile names instead.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the Makefile names other binaries this way, for tests as for itself"
)]
pub fn binary(variable: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os(variable) {
        // Relative to the root, where make runs.
        Some(path) if Path::new(&path).components().count() > 1 => root.join(path),
        Some(name) => name.into(),
        None => root.join("contracts/node_modules/.bin").join(name),
    }
}

/// Sends a body to a loopback URL and returns the answer's.
#[must_use]
pub fn post(url: &str, body: &[u8]) -> Vec<u8> {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let start = end_of_head(&bytes).expect("an answer has a head");
    bytes.split_off(start)
}
