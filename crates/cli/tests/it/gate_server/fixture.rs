use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Challenge, Signature, SignedAuthorization, Tokens, UnsignedAuthorization};
use atr_bindings::{ERC721OwnerPredicate, IToolRegistry};
use atr_loopback::{ACCOUNT, ACCOUNTS, HostileServer, KEYS, Request, Response};
use serde_json::{Value, json};

use crate::{
    atr::start_server,
    fixture::{Fixture, address_of},
};

sol! {
    function mint(address to, uint256 tokenId) external;
    function burn(uint256 tokenId) external;
    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32);
}

/// The chain of x402 clients, with USDC.
const CHAIN_ID: u64 = 8453;

pub(crate) const DELEGATE_REGISTRY: &str = "0x00000000000000447e69651d841bD8D104Bed493";

/// Index of accounts in `ACCOUNTS`.
pub(crate) const HOLDER: usize = 1;
pub(crate) const AGENT: usize = 2;

/// A chain with a tool for holders of an NFT, and the server that implements the tool.
pub(crate) struct GateFixture {
    pub(crate) chain: Fixture,
    pub(crate) collection: Address,
    pub(crate) upstream: HostileServer,
    received: Arc<Mutex<Vec<Request>>>,
}

impl GateFixture {
    /// Tool 1 is `oracle`, for holders of `collection`. The upstream server returns the path and the caller.
    pub(crate) fn new() -> Self {
        let chain = Fixture::on_chain(CHAIN_ID);
        let hash = chain.serve("oracle", &chain.manifest("oracle"));
        let id = chain.register(ACCOUNT, &chain.uri("oracle"), hash);
        let collection = chain.deploy_mock("PlainERC721", &[]);
        let predicate = address_of("ERC721OwnerPredicate");
        let call = IToolRegistry::setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        chain.send(ACCOUNT, Fixture::registry(), &call.abi_encode());
        let call = ERC721OwnerPredicate::setCollections_1Call {
            toolId: id,
            collections: vec![collection],
        };
        chain.send(ACCOUNT, predicate, &call.abi_encode());
        let received = Arc::<Mutex<Vec<Request>>>::default();
        let log = received.clone();
        let upstream = HostileServer::over_tcp(move |connection| {
            while let Some(request) = Request::read(connection) {
                let header = |name| request.header(name).unwrap_or("none").to_owned();
                let body = json!({
                    "path": request.target,
                    "caller": header("x-tool-caller"),
                    "agent": header("x-tool-agent"),
                });
                log.lock().unwrap().push(request);
                let response = Response::new(200, body.to_string());
                let response = response.with_header("content-type", "application/json");
                if response.write(connection).is_err() {
                    return;
                }
                connection.close();
            }
        });
        Self {
            chain,
            collection,
            upstream,
            received,
        }
    }

    /// The requests that reached the upstream server.
    pub(crate) fn received(&self) -> Vec<Request> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn upstream_url(&self) -> String {
        format!("http://{}", self.upstream.address())
    }

    pub(crate) fn mint(&self, index: usize, token: u64) {
        let call = mintCall {
            to: ACCOUNTS[index].parse().unwrap(),
            tokenId: U256::from(token),
        };
        self.chain
            .send(ACCOUNT, self.collection, &call.abi_encode());
    }

    pub(crate) fn burn(&self, token: u64) {
        let call = burnCall {
            tokenId: U256::from(token),
        };
        self.chain
            .send(ACCOUNT, self.collection, &call.abi_encode());
    }

    /// Places the delegation registry at its address.
    pub(crate) fn place_delegate_registry(&self) {
        let deployed = self.chain.deploy_mock("StandInDelegateRegistry", &[]);
        let anvil = &self.chain.anvil;
        let code = anvil.request("eth_getCode", json!([deployed, "latest"]));
        self.chain
            .set_code(DELEGATE_REGISTRY.parse().unwrap(), code.as_str().unwrap());
    }

    pub(crate) fn delegate(&self, from: usize, to: usize, enable: bool) {
        let call = delegateAllCall {
            to: ACCOUNTS[to].parse().unwrap(),
            rights: B256::ZERO,
            enable,
        };
        let registry = DELEGATE_REGISTRY.parse().unwrap();
        self.chain
            .send(ACCOUNTS[from], registry, &call.abi_encode());
    }

    /// Arguments of a gate for tool 1, on a free port.
    pub(crate) fn args(&self) -> Vec<String> {
        let args = [
            "gate",
            "--tool",
            "1",
            "--upstream",
            &self.upstream_url(),
            "--operator",
            ACCOUNT,
        ];
        let own = args.iter().map(|arg| (*arg).to_owned());
        own.chain(self.server_args()).collect()
    }

    /// A free port, and the origin of the manifests.
    pub(crate) fn server_args(&self) -> Vec<String> {
        let host = self.chain.host();
        let args = [
            "--listen",
            "127.0.0.1:0",
            "--allow-host",
            &host,
            "--ca-file",
            "ca.pem",
        ];
        args.iter().map(|arg| (*arg).to_owned()).collect()
    }

    pub(crate) fn start(&self, more: &[&str]) -> RunningGate {
        let args = self.args();
        let args: Vec<_> = args
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        self.run(&args)
    }

    /// Starts a gate and waits until it listens.
    pub(crate) fn run(&self, args: &[&str]) -> RunningGate {
        let mut command = self.chain.atr.command(&[args, &["--json"]].concat());
        let (mut process, report) = start_server(&mut command);
        RunningGate {
            stderr: process.stderr.take().map(BufReader::new),
            url: report["url"].as_str().unwrap().to_owned(),
            report,
            process,
        }
    }
}

/// A gate process. It is killed when the value is dropped.
pub(crate) struct RunningGate {
    process: Child,
    stderr: Option<BufReader<ChildStderr>>,
    pub(crate) url: String,
    /// What it printed.
    pub(crate) report: Value,
}

impl RunningGate {
    /// Sends requests to the gate from another thread.
    pub(crate) fn client(&self) -> Client {
        Client {
            url: self.url.clone(),
        }
    }

    /// Sends a request and returns the whole response.
    pub(crate) fn send(&self, head: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.client().send(head, headers, body)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send(&format!("GET {path}"), &[], "")
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)]) -> Reply {
        let json = [("content-type", "application/json")];
        self.send("POST /oracle", &[headers, &json].concat(), "{}")
    }

    /// Reads the challenge and signs it with a key of anvil.
    pub(crate) fn credential(&self, index: usize) -> (String, String) {
        let bare = self.post(&[]);
        assert_eq!(bare.status, 402, "{bare:?}");
        sign(&bare, index)
    }

    /// Calls as an account.
    pub(crate) fn call(&self, index: usize, more: &[(&str, &str)]) -> Reply {
        let (name, value) = self.credential(index);
        self.post(&[&[(name.as_str(), value.as_str())], more].concat())
    }

    /// Calls until the status is the expected one, as the next block is seen some time after it is mined.
    pub(crate) fn call_until(&self, index: usize, more: &[(&str, &str)], status: u16) -> Reply {
        // About 500 calls take a second; the gate looks for a block at least every two.
        let mut replies = (0..20_000).map(|_| self.call(index, more));
        let reply = replies.find(|reply| reply.status == status);
        reply.unwrap_or_else(|| panic!("no {status}"))
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([name, &id])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for a log line that contains a text.
    pub(crate) fn wait_for_log(&mut self, text: &str) -> String {
        let stderr = self.stderr.as_mut().unwrap();
        let mut log = String::new();
        while !log.contains(text) {
            assert_ne!(stderr.read_line(&mut log).unwrap(), 0, "{log}");
        }
        log
    }

    /// Ends the process at once, as a crash does.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits for the end and returns the exit code.
    pub(crate) fn wait(mut self) -> i32 {
        self.process.wait().unwrap().code().unwrap()
    }

    /// Stops the gate and returns its exit code and the rest of its log.
    pub(crate) fn stop(mut self) -> (i32, String) {
        self.signal("-TERM");
        let mut log = String::new();
        let mut stderr = self.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        (self.process.wait().unwrap().code().unwrap(), log)
    }
}

/// An HTTP client.
pub(crate) struct Client {
    url: String,
}

impl Client {
    /// Sends a request and returns the whole response.
    pub(crate) fn send(&self, head: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut request = format!("{head} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("content-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        Reply::parse(&response)
    }
}

impl Drop for RunningGate {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let status = status.and_then(|status| status.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            status: status.unwrap_or_else(|| panic!("{text}")),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// The header that answers a challenge, signed with a key of anvil.
pub(crate) fn sign(bare: &Reply, index: usize) -> (String, String) {
    let header = bare.header("payment-required").map(str::as_bytes);
    let challenge = Challenge::decode(header, bare.body.as_bytes()).unwrap();
    let signed = sign_challenge(&challenge, index);
    let header = challenge.payment_header(&challenge.requirements[0], signed);
    (header.name.to_owned(), header.value)
}

/// Signs what the first requirement of a challenge asks for.
pub(crate) fn sign_challenge(challenge: &Challenge, index: usize) -> SignedAuthorization {
    let requirement = &challenge.requirements[0];
    let token = Tokens::default();
    let token = token.get(requirement.network, requirement.asset).unwrap();
    let caller = ACCOUNTS[index].parse().unwrap();
    let authorization = requirement.authorization(caller, nonce(), now());
    let unsigned = UnsignedAuthorization::new(authorization, token.clone());
    let signer: PrivateKeySigner = KEYS[index].parse().unwrap();
    let signature = signer.sign_hash_sync(&unsigned.digest()).unwrap();
    let signature = Signature::from_bytes(&signature.as_bytes()).unwrap();
    unsigned.sign(signature).unwrap()
}

/// A nonce that no other call of this process uses.
fn nonce() -> B256 {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    U256::from(COUNT.fetch_add(1, Ordering::Relaxed)).into()
}

#[expect(clippy::disallowed_methods, reason = "callers read their clock")]
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}
