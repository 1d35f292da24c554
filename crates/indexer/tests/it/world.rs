use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{ContractCode, IToolRegistry, TOOL_REGISTRY};
use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_indexer::{IndexedRegistry, Indexer, IndexerOptions, Observer, Report};
use atr_loopback::{ACCOUNTS, Anvil, repeated_call};
use atr_registry::{LogStreamOptions, Registry, ToolState as ChainState};
use atr_rpc::{Endpoints, Node};
use atr_store::index::{IndexStore, RegistryKey, ToolKey, ToolRecord, ToolState, open};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const URI: &str = "https://tools.example.com/.well-known/ai-tool/oracle.json";

/// A chain with a registry, and an SQLite database.
pub(crate) struct World {
    pub(crate) anvil: Anvil,
    pub(crate) registry: Address,
    pub(crate) store: Arc<dyn IndexStore>,
    pub(crate) folder: TempDir,
    pub(crate) reports: Arc<Mutex<Vec<Report>>>,
}

pub(crate) fn account(index: usize) -> Address {
    ACCOUNTS[index].parse().unwrap()
}

/// Follows quickly and does not verify.
pub(crate) fn options() -> IndexerOptions {
    IndexerOptions {
        poll_interval: Duration::from_millis(20),
        retry_delay: Duration::from_millis(20),
        max_retry_delay: Duration::from_millis(100),
        stream: LogStreamOptions::default(),
        verification: None,
        ..IndexerOptions::default()
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path().join("index.sqlite").to_str().unwrap(), now)
            .await
            .unwrap();
        Self::with_store(store, folder)
    }

    pub(crate) fn with_store(store: Arc<dyn IndexStore>, folder: TempDir) -> Self {
        let anvil = Anvil::start_with(&["--disable-block-gas-limit"]);
        let registry = deploy(&anvil, TOOL_REGISTRY.creation());
        Self {
            anvil,
            registry,
            store,
            folder,
            reports: Arc::default(),
        }
    }

    pub(crate) const fn key(&self) -> RegistryKey {
        RegistryKey {
            chain_id: 31337,
            address: self.registry,
        }
    }

    pub(crate) const fn tool_key(&self, id: u64) -> ToolKey {
        ToolKey {
            registry: self.key(),
            id: U256::from_limbs([id, 0, 0, 0]),
        }
    }

    pub(crate) async fn tool(&self, id: u64) -> ToolRecord {
        self.store.tool(self.tool_key(id)).await.unwrap().unwrap()
    }

    /// The registry through a URL: the chain itself or a proxy.
    pub(crate) fn registry_at(&self, url: &str) -> Registry {
        let node = Node::try_new(Endpoints {
            urls: vec![url.parse().unwrap()],
            send_url: None,
            headers: Vec::new(),
            timeout: Duration::from_secs(5),
        });
        Registry::new(node.unwrap().provider().clone(), self.registry, 31337)
    }

    pub(crate) fn indexer_with(
        &self,
        url: &str,
        options: IndexerOptions,
        hosts: AllowedHosts,
    ) -> Indexer {
        let registry = IndexedRegistry {
            registry: self.registry_at(url),
            name: "test".to_owned(),
            is_canonical: false,
            first_block: 0,
        };
        let http = SafeHttpClient::try_new(Limits::MANIFEST, hosts).unwrap();
        let reports = self.reports.clone();
        let observer = Observer::new(move |report| reports.lock().unwrap().push(report.clone()));
        Indexer::new(self.store.clone(), vec![registry], http, options, now).with_observer(observer)
    }

    pub(crate) fn indexer(&self, url: &str) -> Indexer {
        self.indexer_with(url, options(), AllowedHosts::default())
    }

    /// Indexes up to the head.
    pub(crate) async fn index(&self) {
        self.indexer(&self.anvil.url).run_once().await.unwrap();
    }

    pub(crate) fn deploy(&self, creation: &[u8]) -> Address {
        deploy(&self.anvil, creation)
    }

    pub(crate) fn deploy_predicate(&self, predicate: &ContractCode) -> Address {
        let arguments = self.registry.abi_encode();
        self.deploy(&[predicate.creation().as_ref(), &arguments].concat())
    }

    pub(crate) fn deploy_mock(&self, name: &str, arguments: &[u8]) -> Address {
        let path = format!("../harness/artifacts/{name}.json");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let artifact: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let code = hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap();
        self.deploy(&[code.as_slice(), arguments].concat())
    }

    pub(crate) fn send(&self, from: usize, to: Address, call: &impl SolCall) {
        let data = hex::encode_prefixed(call.abi_encode());
        transact(
            &self.anvil,
            json!({ "from": account(from), "to": to, "data": data, "gas": "0x989680" }),
        );
    }

    pub(crate) fn register_as(&self, from: usize, uri: &str, hash: B256, predicate: Address) {
        let call = IToolRegistry::registerToolCall {
            metadataURI: uri.to_owned(),
            manifestHash: hash,
            accessPredicate: predicate,
        };
        self.send(from, self.registry, &call);
    }

    pub(crate) fn register(&self) {
        self.register_as(0, URI, B256::repeat_byte(1), Address::ZERO);
    }

    pub(crate) fn update(&self, id: u64, uri: &str, hash: B256) {
        let call = IToolRegistry::updateToolMetadataCall {
            toolId: U256::from(id),
            newURI: uri.to_owned(),
            newHash: hash,
        };
        self.send(0, self.registry, &call);
    }

    pub(crate) fn deregister(&self, id: u64) {
        let call = IToolRegistry::deregisterToolCall {
            toolId: U256::from(id),
        };
        self.send(0, self.registry, &call);
    }

    /// Registers many tools of one creator in one transaction.
    pub(crate) fn register_many(&self, count: u32, uri: &str) {
        let call = IToolRegistry::registerToolCall {
            metadataURI: uri.to_owned(),
            manifestHash: B256::repeat_byte(2),
            accessPredicate: Address::ZERO,
        };
        self.deploy(&repeated_call(self.registry.0.0, count, &call.abi_encode()));
    }

    pub(crate) fn mine(&self, blocks: u64) {
        self.anvil.request("anvil_mine", json!([blocks]));
    }

    /// Replaces the last blocks by empty ones.
    pub(crate) fn reorg(&self, depth: u64) {
        self.anvil.request("anvil_reorg", json!([depth, []]));
    }

    pub(crate) fn head(&self) -> (u64, B256) {
        let head = self
            .anvil
            .request("eth_getBlockByNumber", json!(["latest", false]));
        let number = head["number"]
            .as_str()
            .unwrap()
            .trim_start_matches("0x")
            .to_owned();
        (
            u64::from_str_radix(&number, 16).unwrap(),
            head["hash"].as_str().unwrap().parse().unwrap(),
        )
    }

    /// Waits until the index has reached the head.
    pub(crate) async fn wait_for_head(&self) {
        let head = self.head();
        self.wait_until(|tip| tip == Some(head)).await;
    }

    pub(crate) async fn wait_until(&self, condition: impl Fn(Option<(u64, B256)>) -> bool) {
        let wait = async {
            loop {
                let record = self.store.registry(self.key()).await.ok().flatten();
                let tip = record
                    .and_then(|record| record.tip)
                    .map(|tip| (tip.number, tip.hash));
                if condition(tip) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
        let reports = self.reports.lock().unwrap();
        let last: Vec<_> = reports.iter().rev().take(5).collect();
        assert!(waited.is_ok(), "the index did not reach the head: {last:?}");
    }

    /// The index is what the chain says: no tool, event or tombstone is missing, doubled or stale.
    pub(crate) async fn check(&self) {
        let rebuild = self.store.rebuild(false, 0).await.unwrap();
        assert_eq!(rebuild.differences, []);
        let logs = self.anvil.request(
            "eth_getLogs",
            json!([{ "address": self.registry, "fromBlock": "0x0", "toBlock": "latest" }]),
        );
        assert_eq!(rebuild.events, logs.as_array().unwrap().len() as u64);
        let registry = self.registry_at(&self.anvil.url);
        let count = registry.tool_count().await.unwrap().to::<u64>();
        assert_eq!(rebuild.tools, count);
        let ids: Vec<_> = (1..=count).map(U256::from).collect();
        let changes = self.store.changes_since(0, u32::MAX).await.unwrap();
        let tools: BTreeMap<_, _> = changes
            .into_iter()
            .map(|change| (change.tool.key.id, change.tool))
            .collect();
        for ids in ids.chunks(500) {
            for (id, state) in ids.iter().zip(registry.tools(ids).await.unwrap()) {
                let tool = &tools[id];
                match state {
                    ChainState::Live(config) => {
                        assert_eq!(tool.state, ToolState::Live);
                        assert_eq!(tool.creator, config.creator);
                        assert_eq!(tool.metadata_uri, config.metadata_uri);
                        assert_eq!(tool.manifest_hash, config.manifest_hash);
                        assert_eq!(tool.predicate, config.access_predicate);
                    }
                    ChainState::Deregistered => assert_eq!(tool.state, ToolState::Deregistered),
                    ChainState::NeverRegistered => panic!("{id}"),
                }
            }
        }
        let live = tools
            .values()
            .filter(|tool| tool.state != ToolState::Undone);
        assert_eq!(live.count() as u64, count);
    }
}

fn deploy(anvil: &Anvil, creation: &[u8]) -> Address {
    let creation = Bytes::copy_from_slice(creation);
    let receipt = transact(
        anvil,
        json!({ "from": account(0), "data": creation, "gas": "0xfffffffff" }),
    );
    receipt["contractAddress"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

fn transact(anvil: &Anvil, transaction: Value) -> Value {
    let hash = anvil.request("eth_sendTransaction", json!([transaction]));
    // Large transactions take longer than `Anvil::receipt` waits.
    let receipt = loop {
        let receipt = anvil.request("eth_getTransactionReceipt", json!([hash]));
        if !receipt.is_null() {
            break receipt;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    receipt
}

/// The system's clock.
#[expect(clippy::disallowed_methods, reason = "tests run in real time")]
pub(crate) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}
