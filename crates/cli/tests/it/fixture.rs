use std::{fs, io::Write, path::Path, process::Output};

use alloy_primitives::{Address, B256, U256, hex, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{CONTRACTS, IToolRegistry};
use atr_deploy::Suite;
use atr_loopback::{ACCOUNT, Anvil, CertificateAuthority, HttpsServer, KEY};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::atr::{Atr, parse_json};

/// A chain with all contracts, an HTTPS server on loopback, and a publisher with a key.
pub(crate) struct Fixture {
    pub(crate) anvil: Anvil,
    pub(crate) server: HttpsServer,
    pub(crate) atr: Atr,
}

/// Starts a chain on which `atr deploy` has run, from a state dump.
pub(crate) fn anvil_with_contracts() -> Anvil {
    anvil_with_contracts_and(&[])
}

fn anvil_with_contracts_and(args: &[&str]) -> Anvil {
    let anvil = Anvil::start_with(args);
    let state = deployed_state();
    anvil.request("anvil_loadState", json!([state]));
    anvil
}

/// The state of a chain after `atr deploy`, as returned by `anvil_dumpState`. Created once per version of the contracts.
fn deployed_state() -> String {
    let codes: Vec<_> = Suite::new(B256::ZERO)
        .targets()
        .iter()
        .map(|target| target.init_code_hash())
        .collect();
    let key = keccak256(codes.concat());
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = directory.join(format!("anvil-state-{key:x}"));
    if let Ok(state) = fs::read_to_string(&path) {
        return state;
    }
    let anvil = Anvil::start();
    let atr = Atr::new()
        .with_variable("ATR_RPC_URL", &anvil.url)
        .with_variable("ATR_PRIVATE_KEY", KEY);
    let deployed = atr.output(&["deploy", "--yes", "--records", "records"]);
    assert!(deployed.status.success(), "{deployed:?}");
    let state = anvil.request("anvil_dumpState", json!([]));
    let state = state.as_str().unwrap().to_owned();
    // Tests run in parallel processes: another one can create the same file.
    let mut file = tempfile::NamedTempFile::new_in(directory).unwrap();
    file.write_all(state.as_bytes()).unwrap();
    file.persist(&path).unwrap();
    state
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with_anvil(&[])
    }

    /// On a chain with another id. The contracts have the same addresses.
    pub(crate) fn on_chain(id: u64) -> Self {
        Self::with_anvil(&["--chain-id", &id.to_string()])
    }

    /// With additional arguments of anvil.
    pub(crate) fn with_anvil(args: &[&str]) -> Self {
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&["localhost"]));
        let anvil = anvil_with_contracts_and(args);
        let atr = Atr::new()
            .with_file("ca.pem", authority.pem())
            .with_variable("ATR_RPC_URL", &anvil.url)
            .with_variable("ATR_PRIVATE_KEY", KEY);
        Self { anvil, server, atr }
    }

    /// Runs a command that fetches from the loopback server.
    pub(crate) fn output(&self, args: &[&str]) -> Output {
        let host = self.host();
        let allow = ["--allow-host", &host, "--ca-file", "ca.pem"];
        self.atr.output(&[args, &allow].concat())
    }

    /// Runs such a command with `--json` and returns its output.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str], code: i32) -> Value {
        let output = self.output(&[args, &["--json"]].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
        parse_json(&output.stdout, code)
    }

    /// Normalized transcript of such a command.
    pub(crate) fn transcript(&self, args: &[&str]) -> String {
        self.normalize(&self.atr.transcript_of(&self.output(args)))
    }

    /// Replaces values that differ between runs: port, hashes and costs.
    pub(crate) fn normalize_hashes(&self, text: &str) -> String {
        let text = text.replace(&self.host(), "localhost:<port>");
        let mut normalized = String::new();
        let mut rest = text.as_str();
        // Manifests contain the port, so their hashes and the calldata cost differ.
        while let Some(at) = rest.find("0x") {
            let (before, from) = rest.split_at(at);
            let digits = from[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
            normalized += before;
            normalized += if digits == 64 {
                "0x<hash>"
            } else {
                &from[..2 + digits]
            };
            rest = &from[2 + digits..];
        }
        normalized += rest;
        let mut is_table = false;
        let lines = normalized.lines().map(|line| match line {
            line if line.starts_with("TRANSACTION ") => {
                is_table = true;
                line
            }
            "" => {
                is_table = false;
                line
            }
            // Gas and cost.
            line if is_table => line.split("  ").next().unwrap(),
            line if line.starts_with("cost ") => "cost         <cost>",
            line if line.starts_with("balance ") => "balance      <balance>",
            line if line.starts_with("total ") => "total        <cost>",
            line if line.starts_with("mined ") => line.split_once(", ").unwrap().0,
            line => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.server.address().port())
    }

    /// Manifest URL of a slug.
    pub(crate) fn uri(&self, slug: &str) -> String {
        format!("{}{}", self.server.origin(), path(slug))
    }

    /// A valid manifest.
    pub(crate) fn manifest(&self, name: &str) -> Value {
        json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": name,
            "description": "Returns prices.",
            "endpoint": format!("{}/{name}", self.server.origin()),
            "inputs": {},
            "outputs": {},
            "creatorAddress": ACCOUNT.to_lowercase(),
        })
    }

    /// Serves a manifest and returns its hash.
    pub(crate) fn serve(&self, slug: &str, manifest: &Value) -> B256 {
        let text = manifest.to_string();
        self.server.put(&path(slug), text.clone());
        Document::parse(text).unwrap().hash().to_b256()
    }

    pub(crate) fn registry() -> Address {
        address_of("ToolRegistry")
    }

    /// Registers a tool without any checks.
    pub(crate) fn register(&self, from: &str, uri: &str, hash: B256) -> U256 {
        let call = IToolRegistry::registerToolCall {
            metadataURI: uri.to_owned(),
            manifestHash: hash,
            accessPredicate: Address::ZERO,
        };
        self.send(from, Self::registry(), &call.abi_encode());
        let count = IToolRegistry::toolCountCall {}.abi_encode();
        let call =
            json!([{ "to": Self::registry(), "data": hex::encode_prefixed(count) }, "latest"]);
        let count = self.anvil.request("eth_call", call);
        count.as_str().unwrap().parse().unwrap()
    }

    /// Sends a transaction from an unlocked account of anvil.
    pub(crate) fn send(&self, from: &str, to: Address, data: &[u8]) {
        let call = json!([{ "from": from, "to": to, "data": hex::encode_prefixed(data) }]);
        let hash = self.anvil.request("eth_sendTransaction", call);
        assert_eq!(self.anvil.receipt(&hash)["status"], "0x1");
    }

    /// Reference of a tool.
    pub(crate) fn tool(id: impl std::fmt::Display) -> String {
        format!("eip155:31337/erc8257:{:#x}/{id}", Self::registry())
    }
}

/// Address of a contract of the deployment.
pub(crate) fn address_of(contract: &str) -> Address {
    assert!(CONTRACTS.iter().any(|code| code.name() == contract));
    let suite = Suite::new(B256::ZERO);
    let target = suite
        .targets()
        .iter()
        .find(|target| target.name() == contract);
    target.unwrap().address()
}

pub(crate) fn path(slug: &str) -> String {
    format!("/.well-known/ai-tool/{slug}.json")
}
