//! Measures the backfill beside anvil: `make bench-index`.
//!
//! Arguments: number of transactions, registrations per transaction, URL of a database (default: a temporary SQLite file).
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "prints figures; a panic ends the measurement"
)]

use std::{fs, time::Duration};

use alloy_primitives::{Address, B256, Bytes};
use alloy_sol_types::SolCall;
use atr_bindings::{IToolRegistry, TOOL_REGISTRY};
use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_indexer::{IndexedRegistry, Indexer, IndexerOptions};
use atr_loopback::{ACCOUNTS, Anvil, repeated_call};
use atr_registry::Registry;
use atr_rpc::{Endpoints, Node};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Empty blocks after each transaction.
const GAP: u64 = 20;

fn send(anvil: &Anvil, data: &[u8]) -> Value {
    let data = Bytes::copy_from_slice(data);
    let transaction = json!({ "from": ACCOUNTS[0], "data": data, "gas": "0xfffffffff" });
    let hash = anvil.request("eth_sendTransaction", json!([transaction]));
    loop {
        let receipt = anvil.request("eth_getTransactionReceipt", json!([hash]));
        if !receipt.is_null() {
            assert_eq!(receipt["status"], "0x1");
            return receipt;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// CPU time of this process so far, in seconds; 100 clock ticks per second on Linux.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| fields[index].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

/// The largest memory so far, in MiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse::<u64>()
        .unwrap()
        / 1024
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u32| {
        arguments
            .next()
            .map_or(default, |text| text.parse().unwrap())
    };
    let (transactions, per_transaction) = (number(200), number(500));
    let anvil = Anvil::start_with(&["--disable-block-gas-limit"]);
    let receipt = send(&anvil, TOOL_REGISTRY.creation());
    let address: Address = receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    for index in 0..transactions {
        let call = IToolRegistry::registerToolCall {
            metadataURI: format!(
                "https://tools{index}.example.com/.well-known/ai-tool/oracle.json"
            ),
            manifestHash: B256::repeat_byte(1),
            accessPredicate: Address::ZERO,
        };
        send(
            &anvil,
            &repeated_call(address.0.0, per_transaction, &call.abi_encode()),
        );
        anvil.request("anvil_mine", json!([GAP]));
    }
    anvil.request("anvil_mine", json!([300]));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("index.sqlite");
    let database = arguments
        .next()
        .unwrap_or_else(|| file.display().to_string());
    let store = atr_store::index::open(&database).await.unwrap();
    let node = Node::try_new(Endpoints {
        urls: vec![anvil.url.parse().unwrap()],
        send_url: None,
        headers: Vec::new(),
        timeout: Duration::from_secs(60),
    });
    let registry = IndexedRegistry {
        registry: Registry::new(node.unwrap().provider().clone(), address, 31337),
        name: "bench".to_owned(),
        is_canonical: false,
        first_block: 0,
    };
    let http = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default()).unwrap();
    let options = IndexerOptions {
        poll_interval: Duration::from_millis(10),
        verification: None,
        ..IndexerOptions::default()
    };
    let indexer = Indexer::new(store.clone(), vec![registry], http, options, || {
        1_800_000_000
    });
    let (cpu, start, before) = (cpu_seconds(), Instant::now(), peak_memory());
    indexer.run_once().await.unwrap();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let rebuild = store.rebuild(false, 0).await.unwrap();
    assert_eq!(rebuild.differing, 0);
    let events = f64::from(transactions * per_transaction);
    assert_eq!(rebuild.events, u64::from(transactions * per_transaction));
    println!(
        "backfill: {events} events in {wall:.2} s: {:.0} events/s (at least 20,000), {:.1} µs of CPU per event (at most 15), \
         memory {before} -> {} MiB",
        events / wall,
        cpu * 1e6 / events,
        peak_memory()
    );
}
