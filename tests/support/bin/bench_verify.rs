//! `atr verify --all` over a thousand tools served from loopback, beside fetching the same manifests and nothing else, in one
//! go. Exit codes: 0 within the bound, 1 beyond it, 2 misuse, 3 could not find out.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use alloy_primitives::{Address, B256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::IToolRegistry;
use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_ids::MetadataUri;
use atr_loopback::{ACCOUNT, Anvil, CertificateAuthority, HttpsServer, KEY};
use atr_manifest::Document;
use eyre::{Result, WrapErr, ensure, eyre};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use serde_json::{Value, json};

const USAGE: &str = "usage: bench-verify <atr> [--json]";

const TOOLS: usize = 1_000;

/// As many at a time on both sides: `atr verify`'s own default.
const AT_ONCE: usize = 16;

/// Each side's best of so many runs counts: the machine has other things to do.
const RUNS: usize = 3;

/// How much longer verifying may take than fetching.
const ALLOWED_RATIO: f64 = 3.0;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    tools: usize,
    at_once: usize,
    fetch_seconds: f64,
    verify_seconds: f64,
    ratio: f64,
    allowed_ratio: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (atr, is_json) = match arguments.as_slice() {
        [atr] => (PathBuf::from(atr), false),
        [atr, json] if json == "--json" => (PathBuf::from(atr), true),
        _ => return end(&mut io::stderr(), USAGE, 2),
    };
    // Runs elsewhere, so that it finds no configuration.
    match atr
        .canonicalize()
        .wrap_err("there is no such atr")
        .and_then(compare)
    {
        Ok(comparison) => {
            let text = if is_json {
                serde_json::to_string_pretty(&comparison).expect("its keys are strings")
            } else {
                comparison.text()
            };
            let code = u8::from(comparison.ratio > ALLOWED_RATIO);
            end(&mut io::stdout(), &text, code)
        }
        Err(error) => end(&mut io::stderr(), &format!("bench-verify: {error:?}"), 3),
    }
}

fn end(stream: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    let _ = writeln!(stream, "{text}");
    ExitCode::from(code)
}

impl Comparison {
    fn text(&self) -> String {
        format!(
            "`atr verify --all` over {} tools takes {:.2} times as long as fetching their manifests ({:.2} s, {:.2} s; {} at a time): \
             at most {} times.",
            self.tools,
            self.ratio,
            self.verify_seconds,
            self.fetch_seconds,
            self.at_once,
            self.allowed_ratio
        )
    }
}

fn compare(atr: PathBuf) -> Result<Comparison> {
    let stage = Stage::set(atr)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut fetching = Duration::MAX;
    let mut verifying = Duration::MAX;
    for _ in 0..RUNS {
        fetching = fetching.min(time(|| runtime.block_on(stage.fetch_all()))?);
        verifying = verifying.min(time(|| stage.verify_all())?);
    }
    let (fetch_seconds, verify_seconds) = (fetching.as_secs_f64(), verifying.as_secs_f64());
    Ok(Comparison {
        tools: TOOLS,
        at_once: AT_ONCE,
        fetch_seconds,
        verify_seconds,
        ratio: verify_seconds / fetch_seconds,
        allowed_ratio: ALLOWED_RATIO,
    })
}

#[expect(clippy::disallowed_methods, reason = "a bench is about time")]
fn time(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// A chain with a registry of a thousand tools, and the server of their manifests.
struct Stage {
    atr: PathBuf,
    folder: tempfile::TempDir,
    anvil: Anvil,
    server: HttpsServer,
    authority: CertificateAuthority,
    places: Vec<MetadataUri>,
}

impl Stage {
    fn set(atr: PathBuf) -> Result<Self> {
        let authority = CertificateAuthority::new();
        let mut stage = Self {
            atr,
            folder: tempfile::tempdir()?,
            anvil: Anvil::start(),
            server: HttpsServer::start(&authority.issue(&["localhost"])),
            authority,
            places: Vec::new(),
        };
        fs::write(stage.folder.path().join("ca.pem"), stage.authority.pem())?;
        let deployed = stage.run(&[
            "deploy",
            "--only",
            "ToolRegistry",
            "--yes",
            "--records",
            ".",
            "--json",
        ])?;
        let registry = &deployed["outcome"]["contracts"][0]["address"];
        let registry: Address =
            serde_json::from_value(registry.clone()).wrap_err("no registry was deployed")?;
        for number in 1..=TOOLS {
            stage.publish(number, registry)?;
        }
        Ok(stage)
    }

    fn publish(&mut self, number: usize, registry: Address) -> Result<()> {
        let origin = self.server.origin();
        let manifest = json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": format!("tool-{number}"),
            "description": "Returns the estimated floor price of any NFT collection, from the last trades of three markets.",
            "endpoint": format!("{origin}/tools/{number}"),
            "inputs": { "type": "object", "properties": { "collection": { "type": "string" }, "chain": { "type": "integer" } } },
            "outputs": { "type": "object", "properties": { "floor": { "type": "string" }, "currency": { "type": "string" } } },
            "creatorAddress": ACCOUNT.to_lowercase(),
            "tags": ["nft", "trading"],
        });
        let text = manifest.to_string();
        let hash: B256 = Document::parse(text.clone())
            .map_err(|error| eyre!("{error}"))?
            .hash()
            .to_b256();
        let path = format!("/.well-known/ai-tool/tool-{number}.json");
        self.server.put(&path, text);
        let place = format!("{origin}{path}");
        let call = IToolRegistry::registerToolCall {
            metadataURI: place.clone(),
            manifestHash: hash,
            accessPredicate: Address::ZERO,
        };
        let data = hex::encode_prefixed(call.abi_encode());
        let transaction = json!([{ "from": ACCOUNT, "to": registry, "data": data }]);
        let sent = self.anvil.request("eth_sendTransaction", transaction);
        ensure!(
            self.anvil.receipt(&sent)["status"] == "0x1",
            "tool {number} was not registered"
        );
        self.places.push(place.parse()?);
        Ok(())
    }

    fn allowed(&self) -> String {
        format!("localhost:{}", self.server.address().port())
    }

    async fn fetch_all(&self) -> Result<()> {
        let exceptions = AllowedHosts {
            hosts: vec![self.allowed().parse()?],
            root_certificates: self.authority.pem().into(),
        };
        let door = &SafeHttpClient::try_new(Limits::MANIFEST, exceptions)?;
        let fetches = self.places.iter().map(|place| async move {
            let bytes = door.fetch_document(&place.to_url()).await?;
            Ok::<_, atr_fetch::Error>(bytes.len())
        });
        let lengths = stream::iter(fetches).buffer_unordered(AT_ONCE);
        let lengths: Vec<_> = lengths.try_collect().await?;
        ensure!(lengths.len() == TOOLS, "not every manifest was fetched");
        Ok(())
    }

    fn verify_all(&self) -> Result<()> {
        let allowed = self.allowed();
        let at_once = AT_ONCE.to_string();
        let args = [
            "verify",
            "--all",
            "--json",
            "--concurrency",
            &at_once,
            "--allow-host",
            &allowed,
            "--ca-file",
            "ca.pem",
        ];
        let report = self.run(&args)?;
        ensure!(
            report["summary"]["usable"] == TOOLS,
            "not every tool was verified: {}",
            report["summary"]
        );
        Ok(())
    }

    fn run(&self, args: &[&str]) -> Result<Value> {
        let output = Command::new(&self.atr)
            .args(args)
            .current_dir(self.folder.path())
            .env("ATR_RPC_URL", &self.anvil.url)
            .env("ATR_PRIVATE_KEY", KEY)
            .output()
            .wrap_err_with(|| format!("could not run {}", self.atr.display()))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "atr {} failed: {stderr}", args[0]);
        serde_json::from_slice(&output.stdout).wrap_err("atr did not answer in JSON")
    }
}
