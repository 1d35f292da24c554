//! Measures `atr gate` in front of a server on loopback, against the server alone and against a gate in Node.js with viem that makes the
//! same checks. All are measured in interleaved slices of one run. Exit codes: 0 within the bounds, 1 outside, 2 wrong arguments.
//!
//! An example rather than a `[[bench]]`, so that `make bench-gate` compiles it together with `atr`.
//!
//! Usage: bench-gate <atr> <directory with viem> [--requests N]. `make bench-gate` runs it.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a benchmark reads the clock, prints, and may panic"
)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_auth::{Challenge, Signature, Tokens, UnsignedAuthorization};
use atr_bindings::{IToolRegistry, TOOL_REGISTRY};
use atr_loopback::{ACCOUNT, ACCOUNTS, Anvil, KEYS};
use atr_manifest::Document;
use serde_json::{Value, json};

/// Bounds of the issue.
const MAX_CPU_MICROSECONDS: f64 = 130.0;
const MAX_ADDED_MILLISECONDS: f64 = 0.30;
const MIN_RATIO: f64 = 40.0;
/// Growth of the resident memory in the second half of the requests. Nonces of credentials that expired are removed after 30 s.
const MAX_GROWTH_BYTES: u64 = 8 << 20;

const ROUNDS: usize = 5;
/// Requests per second of the paced slices, each of one second.
const RATE: usize = 1_000;
const CONNECTIONS: usize = 4;
/// Requests of a slice as fast as possible.
const SATURATED: usize = 4_000;
const SATURATED_NODE: usize = 200;
const MEMORY_REQUESTS: usize = 200_000;
const CHUNK: usize = 10_000;

const BODY: &str = r#"{"query":"eth"}"#;
const ANSWER: &str = r#"{"price":"42.00"}"#;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (atr, npm, requests) = match arguments.as_slice() {
        [atr, npm] => (atr, npm, MEMORY_REQUESTS),
        [atr, npm, flag, number] if flag == "--requests" => (atr, npm, number.parse().unwrap()),
        _ => {
            println!("usage: bench-gate <atr> <directory with viem> [--requests N]");
            return ExitCode::from(2);
        }
    };
    let bench = Bench::start(Path::new(atr), Path::new(npm));
    let figures = bench.measure(requests);
    if figures.print() {
        ExitCode::SUCCESS
    } else {
        println!("outside the bounds");
        ExitCode::FAILURE
    }
}

struct Figures {
    cpu_microseconds: f64,
    p50_direct: Duration,
    p50_gate: Duration,
    gate_per_second: f64,
    node_per_second: f64,
    memory_requests: usize,
    memory: [u64; 3],
}

impl Figures {
    /// Prints one line per figure. False if one is outside its bound.
    fn print(&self) -> bool {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let added = milliseconds(self.p50_gate) - milliseconds(self.p50_direct);
        let ratio = self.gate_per_second / self.node_per_second;
        let [start, half, end] = self.memory;
        let growth = end.saturating_sub(half);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!(
            "CPU         {:.0} µs per request at {RATE} requests/s (at most {MAX_CPU_MICROSECONDS})",
            self.cpu_microseconds
        );
        println!(
            "latency     p50 {:.2} ms, server alone {:.2} ms: {added:.2} ms added (at most {MAX_ADDED_MILLISECONDS:.2})",
            milliseconds(self.p50_gate),
            milliseconds(self.p50_direct)
        );
        println!(
            "throughput  {:.0} requests per CPU-second, Node.js with viem {:.0}: {ratio:.0} times (at least {MIN_RATIO})",
            self.gate_per_second, self.node_per_second
        );
        println!(
            "memory      {:.1} MiB at the start, {:.1} MiB after {} requests, {:.1} MiB after {} (at most {:.0} MiB more)",
            mib(start),
            mib(half),
            self.memory_requests / 2,
            mib(end),
            self.memory_requests,
            mib(MAX_GROWTH_BYTES)
        );
        println!(
            "`atr gate`: {:.0} µs CPU and {added:.2} ms per request, {ratio:.0} times the requests per CPU-second of Node.js with viem, \
             {:.1} MiB more after {} requests",
            self.cpu_microseconds,
            mib(growth),
            self.memory_requests
        );
        self.cpu_microseconds <= MAX_CPU_MICROSECONDS
            && added <= MAX_ADDED_MILLISECONDS
            && ratio >= MIN_RATIO
            && growth <= MAX_GROWTH_BYTES
    }
}

struct Bench {
    upstream: SocketAddr,
    gate: Server,
    node: Server,
    challenge: Challenge,
    signer: PrivateKeySigner,
    _anvil: Anvil,
    _folder: tempfile::TempDir,
}

/// A process that listens.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Bench {
    fn start(atr: &Path, npm: &Path) -> Self {
        let anvil = Anvil::start_with(&["--chain-id", "8453", "--block-time", "2"]);
        let upstream = upstream();
        let folder = tempfile::tempdir().unwrap();
        let manifest = json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": "bench",
            "description": "Returns prices.",
            "endpoint": "https://tools.example.com/bench",
            "inputs": { "type": "object", "required": ["query"] },
            "outputs": { "type": "object", "required": ["price"] },
            "creatorAddress": ACCOUNT.to_lowercase(),
        });
        let manifest = manifest.to_string();
        let file = folder.path().join("bench.json");
        fs::write(&file, &manifest).unwrap();
        let registry = deploy(&anvil, &TOOL_REGISTRY.creation().to_string());
        let predicate = deploy(&anvil, &mock("GrantingPredicate"));
        let call = IToolRegistry::registerToolCall {
            metadataURI: "https://tools.example.com/.well-known/ai-tool/bench.json".to_owned(),
            manifestHash: Document::parse(manifest).unwrap().hash().to_b256(),
            accessPredicate: predicate,
        };
        let data = hex::encode_prefixed(call.abi_encode());
        transact(
            &anvil,
            json!({ "from": ACCOUNT, "to": registry, "data": data, "gas": "0xe4e1c0" }),
        );

        let upstream_url = format!("http://{upstream}");
        let gate = Server::start(
            Command::new(atr)
                .args([
                    "gate",
                    "--upstream",
                    &upstream_url,
                    "--operator",
                    ACCOUNTS[2],
                ])
                .arg("--tool")
                .arg(format!("eip155:8453/erc8257:{registry:#x}/1"))
                .arg("--manifest")
                .arg(&file)
                .args(["--listen", "127.0.0.1:0", "-q"])
                .current_dir(folder.path())
                .env("ATR_RPC_URL", &anvil.url),
        );
        let node = Server::start(
            Command::new("node")
                .args([
                    "--input-type=module",
                    "--eval",
                    include_str!("viem_gate.mjs"),
                ])
                .current_dir(npm)
                .env("RPC_URL", &anvil.url)
                .env("REGISTRY", registry.to_string())
                .env("OPERATOR", ACCOUNTS[2])
                .env("UPSTREAM_PORT", upstream.port().to_string()),
        );
        let bare = send(
            &mut TcpStream::connect(gate.address).unwrap(),
            &request("", ""),
        );
        assert_eq!(bare.status, 402, "{}", bare.body);
        Self {
            challenge: Challenge::decode(None, bare.body.as_bytes()).unwrap(),
            signer: KEYS[1].parse().unwrap(),
            upstream,
            gate,
            node,
            _anvil: anvil,
            _folder: folder,
        }
    }

    fn measure(&self, memory_requests: usize) -> Figures {
        // Warms up connections, caches and the compiler of Node.js.
        saturate(self.gate.address, self.sign(1_000));
        saturate(self.node.address, self.sign(SATURATED_NODE));
        let (mut direct, mut gated) = (Vec::new(), Vec::new());
        let (mut paced, mut gate_cpu, mut node_cpu) =
            (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for _ in 0..ROUNDS {
            let (plain, signed) = (vec![request("", ""); RATE], self.sign(RATE));
            direct.extend(pace(self.upstream, plain));
            let before = self.gate.cpu();
            gated.extend(pace(self.gate.address, signed));
            paced += self.gate.cpu() - before;
            let signed = self.sign(SATURATED);
            let before = self.gate.cpu();
            saturate(self.gate.address, signed);
            gate_cpu += self.gate.cpu() - before;
            let signed = self.sign(SATURATED_NODE);
            let before = self.node.cpu();
            saturate(self.node.address, signed);
            node_cpu += self.node.cpu() - before;
        }
        let per_second = |count: usize, cpu: Duration| (ROUNDS * count) as f64 / cpu.as_secs_f64();
        let start = self.gate.memory();
        let mut half = start;
        for chunk in 1..=memory_requests / CHUNK {
            saturate(self.gate.address, self.sign(CHUNK));
            if chunk * CHUNK <= memory_requests / 2 {
                half = half.max(self.gate.memory());
            }
        }
        Figures {
            cpu_microseconds: paced.as_secs_f64() * 1e6 / (ROUNDS * RATE) as f64,
            p50_direct: median(direct),
            p50_gate: median(gated),
            gate_per_second: per_second(SATURATED, gate_cpu),
            node_per_second: per_second(SATURATED_NODE, node_cpu),
            memory_requests,
            memory: [start, half, self.gate.memory()],
        }
    }

    /// Requests with credentials that were not used yet. They expire soon, so that the gate forgets them within the benchmark.
    fn sign(&self, count: usize) -> Vec<Vec<u8>> {
        static NONCE: AtomicU64 = AtomicU64::new(1);
        let requirement = &self.challenge.requirements[0];
        let tokens = Tokens::default();
        let token = tokens.get(requirement.network, requirement.asset).unwrap();
        let one = || {
            let nonce = U256::from(NONCE.fetch_add(1, Ordering::Relaxed));
            let mut authorization =
                requirement.authorization(self.signer.address(), B256::from(nonce), now());
            authorization.valid_before = U256::from(now() + 30);
            let unsigned = UnsignedAuthorization::new(authorization, token.clone());
            let signature = self.signer.sign_hash_sync(&unsigned.digest()).unwrap();
            let signature = Signature::from_bytes(&signature.as_bytes()).unwrap();
            let signed = unsigned.sign(signature).unwrap();
            let header = self.challenge.payment_header(requirement, signed);
            request(header.name, &header.value)
        };
        (0..count).map(|_| one()).collect()
    }
}

impl Server {
    /// Starts a server that prints its URL.
    fn start(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, url) = line.split_once("http://127.0.0.1:")?;
            let port: u16 = url.split_whitespace().next()?.parse().ok()?;
            Some(SocketAddr::from(([127, 0, 0, 1], port)))
        });
        thread::spawn(move || lines.for_each(drop));
        Self {
            process,
            address: address.unwrap(),
        }
    }

    /// CPU time of all threads, user and system.
    fn cpu(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let mut fields = fields
            .split(' ')
            .skip(11)
            .map(|field| field.parse::<u64>().unwrap());
        let ticks = fields.next().unwrap() + fields.next().unwrap();
        // The kernel reports hundredths of a second to programs on every architecture.
        Duration::from_millis(ticks * 10)
    }

    /// Resident memory in bytes.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib: u64 = line
            .unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        kib << 10
    }
}

/// The server behind the gates: a thread per connection, with the least work per request.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            thread::spawn(move || {
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
                    ANSWER.len()
                );
                while read_message(&mut stream).is_some() {
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// Sends requests at the rate of the benchmark and returns their latencies.
fn pace(address: SocketAddr, requests: Vec<Vec<u8>>) -> Vec<Duration> {
    let interval = Duration::from_secs(1) / u32::try_from(RATE / CONNECTIONS).unwrap();
    on_connections(address, requests, move |stream, requests| {
        let started = Instant::now();
        let mut latencies = Vec::new();
        for (index, request) in requests.iter().enumerate() {
            let due = interval * u32::try_from(index).unwrap();
            thread::sleep(due.saturating_sub(started.elapsed()));
            let sent = Instant::now();
            assert_eq!(send(stream, request).status, 200);
            latencies.push(sent.elapsed());
        }
        latencies
    })
}

/// Sends requests as fast as they are answered.
fn saturate(address: SocketAddr, requests: Vec<Vec<u8>>) {
    on_connections(address, requests, |stream, requests| {
        for request in requests {
            let reply = send(stream, request);
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
        Vec::new()
    });
}

fn on_connections(
    address: SocketAddr,
    requests: Vec<Vec<u8>>,
    work: impl Fn(&mut TcpStream, &[Vec<u8>]) -> Vec<Duration> + Sync,
) -> Vec<Duration> {
    let work = &work;
    thread::scope(|scope| {
        let parts = requests.chunks(requests.len().div_ceil(CONNECTIONS));
        let threads: Vec<_> = parts
            .map(|part| {
                scope.spawn(move || {
                    let mut stream = TcpStream::connect(address).unwrap();
                    stream.set_nodelay(true).unwrap();
                    work(&mut stream, part)
                })
            })
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.flatten().collect()
    })
}

fn request(name: &str, value: &str) -> Vec<u8> {
    let credential = match name {
        "" => String::new(),
        _ => format!("{name}: {value}\r\n"),
    };
    let length = BODY.len();
    format!(
        "POST /bench HTTP/1.1\r\nhost: tools.example.com\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{credential}\r\n{BODY}"
    )
    .into_bytes()
}

struct Reply {
    status: u16,
    body: String,
}

fn send(stream: &mut TcpStream, request: &[u8]) -> Reply {
    stream.write_all(request).unwrap();
    let (head, body) = read_message(stream).expect("the server answers");
    Reply {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        body,
    }
}

/// Reads head and body of a message with a Content-Length. `None` at the end of the stream.
fn read_message(stream: &mut TcpStream) -> Option<(String, String)> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 8192]);
    let mut end = None;
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        if end.is_none()
            && let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let mut lines = head.lines();
            let length = lines.find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.trim().parse::<usize>().unwrap())
            });
            end = Some((at + 4 + length.unwrap_or(0), at + 4));
        }
        if let Some((end, body)) = end
            && bytes.len() >= end
        {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            return Some((text(&bytes[..body]), text(&bytes[body..end])));
        }
    }
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values[values.len() / 2]
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

fn mock(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/artifacts");
    let text = fs::read(path.join(format!("{name}.json"))).unwrap();
    let artifact: Value = serde_json::from_slice(&text).unwrap();
    artifact["bytecode"].as_str().unwrap().to_owned()
}

fn deploy(anvil: &Anvil, creation: &str) -> Address {
    let receipt = transact(
        anvil,
        json!({ "from": ACCOUNT, "data": creation, "gas": "0xe4e1c0" }),
    );
    receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

fn transact(anvil: &Anvil, transaction: Value) -> Value {
    let hash = anvil.request("eth_sendTransaction", json!([transaction]));
    anvil.request("evm_mine", json!([]));
    anvil.receipt(&hash)
}
