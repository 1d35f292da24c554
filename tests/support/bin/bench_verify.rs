//! Compares `atr verify --all` on a thousand tools served from loopback with fetching the same manifests. Exit codes: 0 within the
//! allowed ratio, 1 above it, 2 wrong arguments, 3 the comparison failed.

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

/// The default of `atr verify --concurrency`.
const CONCURRENCY: usize = 16;

/// The best of several runs counts, because other processes share the machine.
const RUNS: usize = 3;

/// The maximum ratio of verification time to fetch time.
const ALLOWED_RATIO: f64 = 3.0;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    tools: usize,
    concurrency: usize,
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
        _ => return exit(&mut io::stderr(), USAGE, 2),
    };
    // Runs in another folder, so that it finds no configuration.
    match atr
        .canonicalize()
        .wrap_err("no such file")
        .and_then(compare)
    {
        Ok(comparison) => {
            let text = if is_json {
                serde_json::to_string_pretty(&comparison).expect("serialization cannot fail")
            } else {
                comparison.text()
            };
            let code = u8::from(comparison.ratio > ALLOWED_RATIO);
            exit(&mut io::stdout(), &text, code)
        }
        Err(error) => exit(&mut io::stderr(), &format!("bench-verify: {error:?}"), 3),
    }
}

fn exit(stream: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    let _ = writeln!(stream, "{text}");
    ExitCode::from(code)
}

impl Comparison {
    fn text(&self) -> String {
        format!(
            "`atr verify --all` over {} tools takes {:.2} times as long as fetching their manifests ({:.2} s, {:.2} s; concurrency {}): \
             at most {} times.",
            self.tools,
            self.ratio,
            self.verify_seconds,
            self.fetch_seconds,
            self.concurrency,
            self.allowed_ratio
        )
    }
}

fn compare(atr: PathBuf) -> Result<Comparison> {
    let fixture = Fixture::deploy(atr)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut fetching = Duration::MAX;
    let mut verifying = Duration::MAX;
    for _ in 0..RUNS {
        fetching = fetching.min(time(|| runtime.block_on(fixture.fetch_all()))?);
        verifying = verifying.min(time(|| fixture.verify_all())?);
    }
    let (fetch_seconds, verify_seconds) = (fetching.as_secs_f64(), verifying.as_secs_f64());
    Ok(Comparison {
        tools: TOOLS,
        concurrency: CONCURRENCY,
        fetch_seconds,
        verify_seconds,
        ratio: verify_seconds / fetch_seconds,
        allowed_ratio: ALLOWED_RATIO,
    })
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn time(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// A chain with a registry of a thousand tools, and the server of their manifests.
struct Fixture {
    atr: PathBuf,
    folder: tempfile::TempDir,
    anvil: Anvil,
    server: HttpsServer,
    authority: CertificateAuthority,
    manifest_urls: Vec<MetadataUri>,
}

impl Fixture {
    fn deploy(atr: PathBuf) -> Result<Self> {
        let authority = CertificateAuthority::new();
        let mut fixture = Self {
            atr,
            folder: tempfile::tempdir()?,
            anvil: Anvil::start(),
            server: HttpsServer::start(&authority.issue(&["localhost"])),
            authority,
            manifest_urls: Vec::new(),
        };
        fs::write(
            fixture.folder.path().join("ca.pem"),
            fixture.authority.pem(),
        )?;
        let deployed = fixture.run(&[
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
            serde_json::from_value(registry.clone()).wrap_err("the registry was not deployed")?;
        for number in 1..=TOOLS {
            fixture.publish(number, registry)?;
        }
        Ok(fixture)
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
        let manifest_url = format!("{origin}{path}");
        let call = IToolRegistry::registerToolCall {
            metadataURI: manifest_url.clone(),
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
        self.manifest_urls.push(manifest_url.parse()?);
        Ok(())
    }

    fn allowed(&self) -> String {
        format!("localhost:{}", self.server.address().port())
    }

    async fn fetch_all(&self) -> Result<()> {
        let allowed = AllowedHosts {
            hosts: vec![self.allowed().parse()?],
            root_certificates: self.authority.pem().into(),
        };
        let client = &SafeHttpClient::try_new(Limits::MANIFEST, allowed)?;
        let fetches = self.manifest_urls.iter().map(|url| async move {
            let bytes = client.fetch_document(&url.to_url()).await?;
            Ok::<_, atr_fetch::Error>(bytes.len())
        });
        let lengths = stream::iter(fetches).buffer_unordered(CONCURRENCY);
        let lengths: Vec<_> = lengths.try_collect().await?;
        ensure!(lengths.len() == TOOLS, "not every manifest was fetched");
        Ok(())
    }

    fn verify_all(&self) -> Result<()> {
        let allowed = self.allowed();
        let concurrency = CONCURRENCY.to_string();
        let args = [
            "verify",
            "--all",
            "--json",
            "--concurrency",
            &concurrency,
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
            .env("ATR_STATE_DIR", self.folder.path().join("state"))
            .output()
            .wrap_err_with(|| format!("could not run {}", self.atr.display()))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "atr {} failed: {stderr}", args[0]);
        serde_json::from_slice(&output.stdout).wrap_err("the output of atr is not JSON")
    }
}
