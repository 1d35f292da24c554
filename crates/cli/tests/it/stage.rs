use std::process::Output;

use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{CONTRACTS, IToolRegistry};
use atr_deploy::Suite;
use atr_loopback::{ACCOUNT, Anvil, Authority, HttpsServer, KEY};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::atr::Atr;

/// A chain with our contracts, a TLS server on loopback, and a publisher with a key.
pub(crate) struct Stage {
    pub(crate) anvil: Anvil,
    pub(crate) server: HttpsServer,
    pub(crate) atr: Atr,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let authority = Authority::new();
        let server = HttpsServer::start(&authority.issue(&["localhost"]));
        let anvil = Anvil::start();
        let atr = Atr::new()
            .with_file("ca.pem", authority.pem())
            .with_variable("ATR_RPC_URL", &anvil.url)
            .with_variable("ATR_PRIVATE_KEY", KEY);
        let stage = Self { anvil, server, atr };
        let deployed = stage
            .atr
            .output(&["deploy", "--yes", "--records", "records"]);
        assert!(deployed.status.success(), "{deployed:?}");
        stage
    }

    /// Runs a command that fetches: the server on loopback is allowed.
    pub(crate) fn output(&self, args: &[&str]) -> Output {
        let host = self.host();
        let allow = ["--allow-host", &host, "--ca-file", "ca.pem"];
        self.atr.output(&[args, &allow].concat())
    }

    /// Runs such a command with `--json`, expects an exit code, returns the answer.
    #[track_caller]
    pub(crate) fn answer(&self, args: &[&str], code: i32) -> Value {
        let output = self.output(&[args, &["--json"]].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
        serde_json::from_str(&stdout).unwrap()
    }

    /// Exit code and both streams; what differs from run to run is taken out.
    pub(crate) fn transcript(&self, args: &[&str]) -> String {
        self.lasting(&self.atr.transcript_of(&self.output(args)))
    }

    /// A text without what differs from run to run.
    pub(crate) fn steady(&self, text: &str) -> String {
        let text = text.replace(&self.host(), "localhost:<port>");
        let mut steady = String::new();
        let mut rest = text.as_str();
        // The port is in the manifests, so their hashes differ as well, and with them what it costs to send them.
        while let Some(at) = rest.find("0x") {
            let (before, from) = rest.split_at(at);
            let digits = from[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
            steady += before;
            steady += if digits == 64 {
                "0x<hash>"
            } else {
                &from[..2 + digits]
            };
            rest = &from[2 + digits..];
        }
        steady += rest;
        let lines = steady.lines().map(|line| match line {
            line if line.starts_with("cost ") => "cost        <cost>",
            line if line.starts_with("done ") => line.rsplit_once(", ").unwrap().0,
            line => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.server.address().port())
    }

    /// Where the manifest of a slug belongs.
    pub(crate) fn uri(&self, slug: &str) -> String {
        format!("{}{}", self.server.origin(), path(slug))
    }

    /// A manifest without fault.
    pub(crate) fn manifest(&self, name: &str) -> Value {
        json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": name,
            "description": "Tells prices.",
            "endpoint": format!("{}/{name}", self.server.origin()),
            "inputs": {},
            "outputs": {},
            "creatorAddress": ACCOUNT.to_lowercase(),
        })
    }

    /// Serves a manifest, and returns what it hashes to.
    pub(crate) fn serve(&self, slug: &str, manifest: &Value) -> B256 {
        let text = manifest.to_string();
        self.server.put(&path(slug), text.clone());
        Document::parse(text).unwrap().hash().word()
    }

    pub(crate) fn registry() -> Address {
        address_of("ToolRegistry")
    }

    /// Registers whatever is asked for, as nobody's tool would.
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
        let count = self.anvil.ask("eth_call", call);
        count.as_str().unwrap().parse().unwrap()
    }

    /// Sends a transaction from one of anvil's own accounts.
    pub(crate) fn send(&self, from: &str, to: Address, data: &[u8]) {
        let call = json!([{ "from": from, "to": to, "data": hex::encode_prefixed(data) }]);
        let hash = self.anvil.ask("eth_sendTransaction", call);
        assert_eq!(self.anvil.receipt(&hash)["status"], "0x1");
    }

    /// How a tool is called.
    pub(crate) fn tool(id: impl std::fmt::Display) -> String {
        format!("eip155:31337/erc8257:{:#x}/{id}", Self::registry())
    }
}

/// Where our deployment has a contract.
pub(crate) fn address_of(contract: &str) -> Address {
    assert!(CONTRACTS.iter().any(|ours| ours.name() == contract));
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
