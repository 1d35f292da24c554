//! A local Anvil chain.

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

/// Private keys of Anvil's first accounts. They are public knowledge.
pub const KEYS: [&str; 3] = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
];

/// Addresses of [`KEYS`].
pub const ACCOUNTS: [&str; 3] = [
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
];

/// Private key of [`ACCOUNT`].
pub const KEY: &str = KEYS[0];

/// Address of Anvil's first account.
pub const ACCOUNT: &str = ACCOUNTS[0];

/// An Anvil process. Requires the binary that `make deps` installs. The process ends when the value is dropped.
#[derive(Debug)]
pub struct Anvil {
    process: Child,
    /// RPC URL.
    pub url: String,
}

impl Anvil {
    /// Starts Anvil with its default options.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts Anvil with additional arguments.
    #[must_use]
    pub fn start_with(args: &[&str]) -> Self {
        Self::start_on("0", args)
    }

    /// Ends the process and starts a new, empty chain on the same port.
    pub fn restart(&mut self, args: &[&str]) {
        self.stop();
        let port = self.url.rsplit(':').next().unwrap().to_owned();
        *self = Self::start_on(&port, args);
    }

    fn start_on(port: &str, args: &[&str]) -> Self {
        let mut process = Command::new(binary("ANVIL", "anvil"))
            .args(["--port", port])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("cannot start anvil; run `make deps` or set ANVIL");
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
            .expect("anvil prints its address");
        // Drains the pipe, so that Anvil does not block.
        thread::spawn(move || lines.for_each(drop));
        Self {
            process,
            url: format!("http://127.0.0.1:{port}"),
        }
    }

    /// Sends an RPC request and returns its result. Panics on an error.
    pub fn request(&self, method: &str, params: Value) -> Value {
        request(&self.url, method, params)
    }

    /// Polls for the receipt of a transaction. Anvil mines asynchronously.
    #[must_use]
    pub fn receipt(&self, hash: &Value) -> Value {
        let poll = |_| self.request("eth_getTransactionReceipt", json!([hash]));
        let found = (0..1000).map(poll).find(|receipt| !receipt.is_null());
        found.expect("the transaction is mined")
    }

    /// Nonce of an account in the latest block.
    #[must_use]
    pub fn nonce(&self, account: &str) -> u64 {
        let count = self.request("eth_getTransactionCount", json!([account, "latest"]));
        u64::from_str_radix(count.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Sends an RPC request to a loopback URL and returns its result. Panics on an error.
pub fn request(url: &str, method: &str, params: Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let response = post(url, request.to_string().as_bytes());
    let response: Value = serde_json::from_slice(&response).unwrap();
    assert!(response.get("error").is_none(), "{method}: {response}");
    response["result"].clone()
}

/// Path of Foundry's `cast`.
#[must_use]
pub fn cast() -> PathBuf {
    binary("CAST", "cast")
}

/// Path of a pinned Foundry binary, or of the one in an environment variable.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the Makefile passes other binaries in variables"
)]
pub fn binary(variable: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os(variable) {
        // Relative to the repository root, where make runs.
        Some(path) if Path::new(&path).components().count() > 1 => root.join(path),
        Some(name) => name.into(),
        None => root.join("contracts/node_modules/.bin").join(name),
    }
}

/// Sends a POST request to a loopback URL and returns the response body.
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
    let start = end_of_head(&bytes).expect("the response has headers");
    bytes.split_off(start)
}
