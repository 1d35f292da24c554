//! An index with tools, served.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use alloy_primitives::{Address, B256, U256, keccak256};
use atr_api::{
    Catalog, Follower,
    server::{Peer, ServerConfig, router},
};
use atr_rpc::Node;
use atr_search::SearchIndex;
use atr_store::index::{
    AccessResult, AccessType, Batch, Block, Event, EventBlock, EventKind, IndexStore, ListedPrice,
    Listing, NewRegistry, PredicateFacts, RegistryKey, RegistryStatus, Risk, SqliteIndex,
    ToolAccess, ToolKey, Verification, VerificationResult, VerificationStatus,
};
use axum::{Router, body::Body};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tower::ServiceExt;

pub(crate) const CHAIN: u64 = 8453;
pub(crate) const NOW: u64 = 1_795_000_000;
pub(crate) const USDC: &str = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

pub(crate) const CREATOR: Address = Address::repeat_byte(0xc1);

/// A tool to index.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) creator: Address,
    pub(crate) status: VerificationStatus,
    pub(crate) failing_check: Option<u8>,
    pub(crate) predicate: Option<Address>,
    /// Amount in base units of USDC and recipient.
    pub(crate) price: Option<(u64, Address)>,
    pub(crate) has_invalid_prices: bool,
    pub(crate) uri: Option<String>,
    pub(crate) properties: Vec<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) image: Option<String>,
    pub(crate) claimed_tier: Option<String>,
    /// Instead of a manifest with name, creator and one input.
    pub(crate) manifest: Option<Value>,
    /// What the checks observed.
    pub(crate) evidence: String,
    pub(crate) risks: Vec<Risk>,
}

impl Spec {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: format!("Does {name}."),
            tags: Vec::new(),
            creator: CREATOR,
            status: VerificationStatus::Verified,
            failing_check: None,
            predicate: None,
            price: None,
            has_invalid_prices: false,
            uri: None,
            properties: vec!["query".to_owned()],
            endpoint: None,
            image: None,
            claimed_tier: None,
            manifest: None,
            evidence: "seen".to_owned(),
            risks: Vec::new(),
        }
    }

    pub(crate) fn failed(name: &str, check: u8) -> Self {
        Self {
            status: VerificationStatus::Failed,
            failing_check: Some(check),
            ..Self::new(name)
        }
    }

    fn listing(&self) -> Listing {
        Listing {
            name: Some(self.name.clone()),
            description: Some(self.description.clone()),
            version: Some("1.0.0".to_owned()),
            tags: self.tags.clone(),
            endpoint: Some(
                self.endpoint
                    .clone()
                    .unwrap_or_else(|| format!("https://tools.example.com/{}", self.name.len())),
            ),
            image: self.image.clone(),
            effective_tier: self
                .claimed_tier
                .as_ref()
                .map(|_| "self-attested".to_owned()),
            claimed_tier: self.claimed_tier.clone(),
            endpoint_host: Some(match &self.endpoint {
                Some(url) => url.split('/').nth(2).unwrap_or(url).to_owned(),
                None => "tools.example.com".to_owned(),
            }),
            endpoint_host_ascii: Some("tools.example.com".to_owned()),
            prices: self
                .price
                .iter()
                .map(|(amount, recipient)| ListedPrice {
                    amount: amount.to_string(),
                    asset: USDC.to_owned(),
                    recipient: format!("eip155:{CHAIN}:{recipient:#x}"),
                    protocol: "x402".to_owned(),
                })
                .collect(),
            has_invalid_prices: self.has_invalid_prices,
            properties: self.properties.clone(),
            follows_rules: true,
            ..Listing::default()
        }
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A database, its search index, and the application that serves them.
pub(crate) struct World {
    pub(crate) store: Arc<dyn IndexStore>,
    pub(crate) registry: RegistryKey,
    pub(crate) follower: Arc<Follower>,
    pub(crate) router: Router,
    block: u64,
    version: u64,
    tools: u64,
    _folder: TempDir,
}

pub(crate) const REGISTRY: RegistryKey = RegistryKey {
    chain_id: CHAIN,
    address: Address::repeat_byte(0x11),
};

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(REGISTRY, HashMap::new(), &unlimited()).await
    }

    pub(crate) async fn with(
        registry: RegistryKey,
        nodes: HashMap<u64, Node>,
        config: &ServerConfig,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteIndex::open(&folder.path().join("index.db"), || NOW)
            .await
            .unwrap();
        Self::on(Arc::new(store), registry, nodes, config, folder).await
    }

    pub(crate) async fn on(
        store: Arc<dyn IndexStore>,
        registry: RegistryKey,
        nodes: HashMap<u64, Node>,
        config: &ServerConfig,
        folder: TempDir,
    ) -> Self {
        let record = store
            .register(
                &NewRegistry {
                    key: registry,
                    name: "test".to_owned(),
                    is_canonical: true,
                    first_block: 1,
                    code_hash: B256::repeat_byte(0xcc),
                    proxy_indicators: "[]".to_owned(),
                },
                NOW,
            )
            .await
            .unwrap();
        let (follower, router) = serve(&store, folder.path(), nodes, config);
        Self {
            store,
            registry,
            follower,
            router,
            block: 100,
            version: record.version,
            tools: 0,
            _folder: folder,
        }
    }

    pub(crate) fn key(&self, id: u64) -> ToolKey {
        ToolKey {
            registry: self.registry,
            id: U256::from(id),
        }
    }

    pub(crate) fn path(&self, id: u64) -> String {
        format!(
            "/api/v2/tools/{}/{}/{id}",
            self.registry.chain_id, self.registry.address
        )
    }

    /// Registers tools in one block each, and stores their verification.
    pub(crate) async fn add(&mut self, specs: &[Spec]) -> Vec<u64> {
        let mut ids = Vec::new();
        for spec in specs {
            self.tools += 1;
            let id = self.tools;
            let hash = keccak256(format!("{id} {}", spec.name));
            let uri = spec.uri.clone();
            let uri = uri.unwrap_or_else(|| {
                format!("https://tools.example.com/.well-known/ai-tool/{id}.json")
            });
            self.apply(Event {
                kind: EventKind::Registered,
                log_index: 0,
                transaction: B256::with_last_byte(1),
                address: None,
                tool_id: Some(U256::from(id)),
                creator: Some(spec.creator),
                predicate: spec.predicate,
                uri_key: Some(keccak256(&uri)[..16].try_into().unwrap()),
                metadata_uri: Some(uri),
                manifest_hash: Some(hash),
                data: Vec::new(),
            })
            .await;
            self.verify(id, hash, spec).await;
            ids.push(id);
        }
        self.follower.catch_up().await.unwrap();
        ids
    }

    pub(crate) async fn verify(&self, id: u64, hash: B256, spec: &Spec) {
        if spec.status == VerificationStatus::Pending {
            return;
        }
        let manifest = spec.manifest.clone();
        let manifest = manifest.unwrap_or_else(|| {
            json!({
                "name": spec.name,
                "creatorAddress": format!("{:#x}", spec.creator),
                "inputs": { "type": "object", "properties": { "query": { "type": "string" } } },
                "outputs": { "type": "object" },
            })
        });
        let check = |number: u8, name: &str| {
            let outcome = match spec.failing_check {
                Some(failing) if failing == number => match spec.status {
                    VerificationStatus::Failed => "failed",
                    _ => "inconclusive",
                },
                Some(failing) if failing < number => "skipped",
                _ => "passed",
            };
            let mut check = json!({ "number": number, "check": name, "outcome": outcome, "observed": spec.evidence });
            if outcome == "failed" || outcome == "inconclusive" {
                check["expected"] = json!("something else");
                check["fix"] = json!("serve the registered manifest");
                check["code"] = json!("mismatch");
            }
            check
        };
        let report = json!({
            "checks": [check(1, "fetch"), check(2, "origin"), check(3, "hash"), check(4, "creator")],
            "rules": null,
        });
        let tool = self.store.tool(self.key(id)).await.unwrap().unwrap();
        let verification = Verification {
            metadata_uri: tool.metadata_uri,
            creator: tool.creator,
            fresh_until: NOW + 24 * 3600,
            manifest_hash: hash,
            status: spec.status,
            failing_check: spec.failing_check,
            report: report.to_string(),
            checked_at: NOW,
            next_at: NOW + 3600,
            attempts: 0,
            served_hash: Some(hash),
            certificate: None,
            name_servers: None,
            listing: Some(spec.listing()),
            diff: None,
            risks: spec.risks.clone(),
            price_probe: None,
        };
        let is_served = spec.failing_check.is_none_or(|check| check > 3);
        let result = VerificationResult {
            key: self.key(id),
            verification,
            manifest: is_served.then(|| manifest.to_string().into_bytes()),
        };
        self.store.store_verification(&result).await.unwrap();
    }

    /// Stores what a predicate requires.
    pub(crate) async fn set_access(
        &self,
        id: u64,
        predicate: Address,
        access_type: AccessType,
        requirements: Value,
        facts: PredicateFacts,
    ) {
        let result = AccessResult {
            key: self.key(id),
            access: ToolAccess {
                predicate,
                access_type,
                requirements: requirements.to_string(),
                always_denies: false,
                checked_at: NOW,
            },
            facts,
            terms: Vec::new(),
        };
        self.store.store_access(&result).await.unwrap();
        self.follower.catch_up().await.unwrap();
    }

    pub(crate) async fn deregister(&mut self, id: u64) {
        self.apply(Event {
            kind: EventKind::Deregistered,
            log_index: 0,
            transaction: B256::with_last_byte(2),
            address: None,
            tool_id: Some(U256::from(id)),
            creator: None,
            predicate: None,
            metadata_uri: None,
            uri_key: None,
            manifest_hash: None,
            data: Vec::new(),
        })
        .await;
        self.follower.catch_up().await.unwrap();
    }

    async fn apply(&mut self, event: Event) {
        self.block += 1;
        let block = Block {
            number: self.block,
            hash: keccak256(self.block.to_be_bytes()),
            time: NOW - 100_000 + self.block,
        };
        let batch = Batch {
            registry: self.registry,
            expected_version: self.version,
            rewind: None,
            blocks: vec![EventBlock {
                block,
                events: vec![event],
            }],
            tip: block,
            head: self.block,
            checkpoint: "{}".to_owned(),
            status: RegistryStatus::Following,
            now: NOW,
        };
        self.version = self.store.apply(&batch).await.unwrap().version;
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    /// The JSON of a successful request.
    pub(crate) async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(
            answer.status,
            StatusCode::OK,
            "{path}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        answer.json()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap())
            .await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        send(&self.router, request).await
    }

    /// Names of the results of a search.
    pub(crate) async fn search(&self, query: &str) -> Vec<String> {
        let page = self.json(&format!("/api/v2/tools/search?{query}")).await;
        names(&page)
    }
}

pub(crate) fn names(page: &Value) -> Vec<String> {
    let results = page["results"].as_array().unwrap().iter();
    results
        .map(|result| result["name"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) async fn send(router: &Router, mut request: Request<Body>) -> Answer {
    let peer = Peer(SocketAddr::from(([192, 0, 2, 1], 1)));
    if request.extensions().get::<Peer>().is_none() {
        request.extensions_mut().insert(peer);
    }
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes().to_vec(),
    }
}

pub(crate) fn unlimited() -> ServerConfig {
    ServerConfig {
        rate_limit: None,
        ..ServerConfig::default()
    }
}

/// A server of a database with a search index of its own.
pub(crate) fn serve(
    store: &Arc<dyn IndexStore>,
    folder: &Path,
    nodes: HashMap<u64, Node>,
    config: &ServerConfig,
) -> (Arc<Follower>, Router) {
    let (index, _) = SearchIndex::open(&folder.join("search"), "test").unwrap();
    let index = Arc::new(index);
    let follower = Arc::new(Follower::new(store.clone(), index.clone()));
    let catalog = Catalog::new(store.clone(), index, now).with_nodes(nodes);
    let (_, caught_up) = watch::channel(true);
    let router = router(catalog, follower.subscribe(), caught_up, config);
    (follower, router)
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "signatures expire")]
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}
