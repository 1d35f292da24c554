use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use alloy_primitives::{Address, B256, U256, hex, keccak256};
use alloy_sol_types::SolValue;
use atr_bindings::{
    ALWAYS_DENY_PREDICATE, COMPOSITE_PREDICATE, CompositePredicate, ERC721_OWNER_PREDICATE,
    ERC721OwnerPredicate, IToolRegistry,
};
use atr_fetch::AllowedHosts;
use atr_indexer::{Error, IndexerOptions, VerificationOptions};
use atr_loopback::{Action, CertificateAuthority, HttpsServer, Response, RpcProxy};
use atr_manifest::Document;
use atr_store::index::{AccessType, ToolDetail, ToolState, VerificationStatus};
use serde_json::{Value, json};

use crate::world::{World, account, options};

/// A world whose tools are served.
struct Served {
    world: World,
    server: HttpsServer,
    hosts: AllowedHosts,
    options: IndexerOptions,
}

fn path(name: &str) -> String {
    format!("/.well-known/ai-tool/{name}.json")
}

impl Served {
    async fn start() -> Self {
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&["localhost"]));
        let hosts = AllowedHosts {
            hosts: vec![
                format!("localhost:{}", server.address().port())
                    .parse()
                    .unwrap(),
            ],
            root_certificates: authority.pem().into_bytes(),
        };
        Self {
            world: World::start().await,
            server,
            hosts,
            options: IndexerOptions {
                verification: Some(VerificationOptions::default()),
                ..options()
            },
        }
    }

    fn manifest(&self, name: &str) -> Value {
        json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": name,
            "description": "Prices of assets.",
            "endpoint": format!("{}/{name}", self.server.origin()),
            "inputs": { "type": "object", "properties": { "query": {} } },
            "outputs": { "type": "object" },
            "creatorAddress": format!("{:#x}", account(0)),
            "tags": ["oracle", "prices"],
        })
    }

    fn uri(&self, name: &str) -> String {
        format!("{}{}", self.server.origin(), path(name))
    }

    /// Serves a manifest and returns its hash.
    fn put(&self, name: &str, manifest: &Value) -> B256 {
        let text = manifest.to_string();
        self.server.put(&path(name), text.clone());
        Document::parse(text).unwrap().hash().to_b256()
    }

    fn publish(&self, name: &str, predicate: Address) {
        let hash = self.put(name, &self.manifest(name));
        self.world.register_as(0, &self.uri(name), hash, predicate);
    }

    async fn index(&self) {
        let indexer = self.world.indexer_with(
            &self.world.anvil.url,
            self.options.clone(),
            self.hosts.clone(),
        );
        indexer.run_once().await.unwrap();
    }

    async fn detail(&self, id: u64) -> ToolDetail {
        self.world
            .store
            .detail(self.world.tool_key(id))
            .await
            .unwrap()
            .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_check_has_a_result_and_only_four_passes_verify() {
    let served = Served::start().await;
    served.publish("good", Address::ZERO);
    // Check 1: no such document. It may appear, so the result is failed or unknown, never verified.
    served.world.register_as(
        0,
        &served.uri("missing"),
        B256::repeat_byte(1),
        Address::ZERO,
    );
    // Check 2: an endpoint of another origin.
    let mut other = served.manifest("other");
    other["endpoint"] = json!("https://elsewhere.example/x");
    let hash = served.put("other", &other);
    served
        .world
        .register_as(0, &served.uri("other"), hash, Address::ZERO);
    // Check 3: another hash.
    served.put("changed", &served.manifest("changed"));
    served.world.register_as(
        0,
        &served.uri("changed"),
        B256::repeat_byte(2),
        Address::ZERO,
    );
    // Check 4, K-11: somebody else registered the URL.
    let hash = served.put("squatted", &served.manifest("squatted"));
    served
        .world
        .register_as(1, &served.uri("squatted"), hash, Address::ZERO);
    served.index().await;

    // K-01
    let mut found = Vec::new();
    for id in 1..=5 {
        let tool = served.world.tool(id).await;
        found.push((tool.status, tool.failing_check));
    }
    assert_eq!(found[0], (VerificationStatus::Verified, None));
    assert_ne!(found[1].0, VerificationStatus::Verified);
    assert_eq!(found[1].1, Some(1));
    assert_eq!(found[2], (VerificationStatus::Failed, Some(2)));
    assert_eq!(found[3], (VerificationStatus::Failed, Some(3)));
    assert_eq!(found[4], (VerificationStatus::Failed, Some(4)));
    let report = served.detail(5).await.verification.unwrap().report;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["checks"][3]["check"], "creator", "{report}");
    assert!(report["checks"][3]["fix"].is_string(), "{report}");

    let good = served.detail(1).await;
    let verification = good.verification.unwrap();
    // H-12: it counts for a day, and is checked again after half of it.
    let (checked_at, day) = (verification.checked_at, 24 * 60 * 60);
    assert_eq!(verification.fresh_until, checked_at + day);
    assert_eq!(verification.next_at, checked_at + day / 2);
    // K-12: the certificate is kept for later comparisons.
    assert!(verification.certificate.unwrap().not_before > 0);
    let listing = verification.listing.unwrap();
    assert_eq!(listing.tags, ["oracle", "prices"]);
    assert_eq!(listing.properties, ["query"]);
    assert!(listing.follows_rules);
    assert!(good.manifest.is_some());
    assert!(
        served.detail(4).await.manifest.is_none(),
        "only the registered manifest is kept"
    );
    served.world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manifest_shortens_the_time_for_which_a_verdict_counts() {
    // H-14
    let served = Served::start().await;
    let mut manifest = served.manifest("short");
    manifest["maxAge"] = json!(600);
    let hash = served.put("short", &manifest);
    let uri = served.uri("short");
    served.world.register_as(0, &uri, hash, Address::ZERO);
    served.index().await;
    let verification = served.detail(1).await.verification.unwrap();
    let checked_at = verification.checked_at;
    assert_eq!(verification.fresh_until, checked_at + 600);
    assert_eq!(verification.next_at, checked_at + 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorg_that_assigns_an_id_to_another_tool_takes_the_verdict_away() {
    let served = Served::start().await;
    let world = &served.world;
    served.publish("a", Address::ZERO);
    let snapshot = world.anvil.request("evm_snapshot", json!([]));
    served.publish("b", Address::ZERO);
    served.index().await;
    assert_eq!(world.tool(2).await.status, VerificationStatus::Verified);
    world.anvil.request("evm_revert", json!([snapshot]));
    // The same id, for a tool of another creator that no server serves; longer than the chain that was left.
    let uri = "https://127.0.0.1/.well-known/ai-tool/x.json";
    world.register_as(1, uri, B256::repeat_byte(7), Address::ZERO);
    world.mine(2);
    world.index().await;
    let tool = world.tool(2).await;
    assert_eq!(tool.creator, account(1));
    assert_eq!(tool.status, VerificationStatus::Pending);
    let detail = served.detail(2).await;
    assert_eq!((detail.verification, detail.tool.checked_at), (None, None));
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_differs_from_its_events_is_unknown_at_once() {
    let served = Served::start().await;
    let world = &served.world;
    served.publish("a", Address::ZERO);
    served.publish("b", Address::ZERO);
    served.index().await;
    // The node leaves out the logs of an update and of a deregistration.
    let forgets = Arc::new(AtomicBool::new(true));
    let flag = forgets.clone();
    let proxy = RpcProxy::start(&world.anvil.url, move |request| {
        if request.method == "eth_getLogs" && flag.load(Ordering::SeqCst) {
            Action::Change(|logs| {
                let registered =
                    keccak256("ToolRegistered(uint256,address,address,string,bytes32)");
                let topic = registered.to_string();
                logs.as_array_mut()
                    .unwrap()
                    .retain(|log| log["topics"][0] == topic);
            })
        } else {
            Action::Forward
        }
    });
    world.update(1, &served.uri("a"), B256::repeat_byte(9));
    world.deregister(2);
    // Far below the head: the ranges say nothing about them.
    world.mine(400);
    for id in [1, 2] {
        let key = world.tool_key(id);
        assert!(world.store.request_verification(key, 0).await.unwrap());
    }
    let indexer = world.indexer_with(&proxy.url, served.options.clone(), served.hosts.clone());
    let error = indexer.run_once().await.unwrap_err();
    assert!(matches!(error, Error::ToolDiffers { .. }), "{error:?}");
    for id in [1, 2] {
        let detail = served.detail(id).await;
        assert_eq!(detail.tool.status, VerificationStatus::Unknown, "{id}");
        let report = detail.verification.unwrap().report;
        assert!(report.contains("index-behind-chain"), "{report}");
    }
    let record = world.store.registry(world.key()).await.unwrap().unwrap();
    assert!(record.reason.unwrap().contains("are missing"));
    // The node has the logs again: the blocks are read again.
    forgets.store(false, Ordering::SeqCst);
    for id in [1, 2] {
        world
            .store
            .request_verification(world.tool_key(id), 0)
            .await
            .unwrap();
    }
    let indexer = world.indexer_with(&proxy.url, served.options.clone(), served.hosts.clone());
    indexer.run_once().await.unwrap();
    assert_eq!(world.tool(1).await.manifest_hash, B256::repeat_byte(9));
    assert_eq!(world.tool(2).await.state, ToolState::Deregistered);
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_verified_again_with_the_difference() {
    let served = Served::start().await;
    served.publish("a", Address::ZERO);
    served.index().await;
    // K-12: the update comes after a year of silence.
    served
        .world
        .anvil
        .request("evm_increaseTime", json!([400 * 24 * 60 * 60]));
    let mut manifest = served.manifest("a");
    manifest["description"] = json!("Other prices.");
    let hash = served.put("a", &manifest);
    served.world.update(1, &served.uri("a"), hash);
    let requests = served.server.count(&path("a"));
    served.index().await;
    // Control of the origin is verified again: the manifest was fetched from it, and all four checks passed.
    assert_eq!(served.server.count(&path("a")), requests + 1);
    let detail = served.detail(1).await;
    assert_eq!(
        (detail.tool.status, detail.tool.updates),
        (VerificationStatus::Verified, 1)
    );
    let diff: Value = serde_json::from_str(&detail.verification.unwrap().diff.unwrap()).unwrap();
    assert_eq!(diff[0]["member"], "description");
    let codes: Vec<_> = detail
        .tool
        .risks
        .iter()
        .map(|risk| risk.code.as_str())
        .collect();
    assert_eq!(codes, ["updated-after-inactivity"]);
    // K-08, T-54: silence alone does not retire a tool.
    assert_eq!(detail.tool.state, ToolState::Live);
    assert!(!detail.tool.always_denies);
    // On request, with a document that disappeared: the result of the past is not shown as the present.
    served.server.remove(&path("a"));
    assert!(
        served
            .world
            .store
            .request_verification(detail.tool.key, u64::MAX >> 2)
            .await
            .unwrap()
    );
    let requests = served.server.count(&path("a"));
    assert!(
        served
            .world
            .store
            .request_verification(detail.tool.key, 0)
            .await
            .unwrap()
    );
    served.index().await;
    assert_eq!(served.server.count(&path("a")), requests + 1);
    assert_ne!(
        served.world.tool(1).await.status,
        VerificationStatus::Verified
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn predicates_are_evaluated_and_followed() {
    let served = Served::start().await;
    let world = &served.world;
    let nft = world.deploy_predicate(&ERC721_OWNER_PREDICATE);
    let deny = world.deploy(ALWAYS_DENY_PREDICATE.creation());
    let silent = world.deploy_mock("NonERC165Predicate", &[]);
    let nobody = Address::repeat_byte(0x77);
    let implementation = world.deploy_mock("GrantingPredicate", &[]);
    let proxy = world.deploy_mock(
        "PlainERC1967Proxy",
        &(implementation, Vec::<u8>::new()).abi_encode_params(),
    );
    for (name, predicate) in [
        ("nft", nft),
        ("deny", deny),
        ("silent", silent),
        ("nobody", nobody),
        ("proxy", proxy),
    ] {
        served.publish(name, predicate);
    }
    served.index().await;
    // K-07: without code the tool is gated and not yet available, never open.
    let facts = world.tool(4).await;
    assert_eq!(facts.access_type, AccessType::Gated);
    assert!(!facts.predicate_facts.unwrap().has_code);
    let facts = world.tool(3).await.predicate_facts.unwrap();
    assert_eq!(
        (facts.has_code, facts.advertises_interface),
        (true, Some(false))
    );
    assert_eq!(
        world
            .tool(1)
            .await
            .predicate_facts
            .unwrap()
            .advertises_interface,
        Some(true)
    );
    // K-08: paused or retired by the predicate.
    assert!(world.tool(2).await.always_denies);
    assert!(!world.tool(1).await.always_denies);
    let facts = world.tool(5).await.predicate_facts.unwrap();
    assert!(facts.is_proxy && facts.proxy_indicators.contains("EIP-1967"));
    assert_eq!(facts.upgraded_at, None);

    // A configuration event makes the tool known as gated by an NFT.
    let collection = world.deploy_mock("PlainERC721", &[]);
    world.send(
        0,
        nft,
        &ERC721OwnerPredicate::setCollections_1Call {
            toolId: U256::from(1),
            collections: vec![collection],
        },
    );
    served.index().await;
    let detail = served.detail(1).await;
    assert_eq!(detail.tool.access_type, AccessType::NftGated);
    assert!(
        detail
            .access
            .unwrap()
            .requirements
            .to_lowercase()
            .contains(&format!("{collection:#x}"))
    );
    // K-03: the proxy is upgraded. Its code says so with the event of ERC-1967.
    let slot = keccak256("eip1967.proxy.implementation");
    let slot = B256::from(U256::from_be_bytes(slot.0) - U256::ONE);
    let topic = keccak256("Upgraded(address)");
    // log2(0, 0, Upgraded, implementation); sstore(slot, implementation)
    let mut code = vec![0x73];
    code.extend_from_slice(implementation.as_slice());
    code.push(0x7f);
    code.extend_from_slice(topic.as_slice());
    code.extend_from_slice(&[0x5f, 0x5f, 0xa2, 0x00]);
    world
        .anvil
        .request("anvil_setCode", json!([proxy, hex::encode_prefixed(code)]));
    world.anvil.request(
        "anvil_setStorageAt",
        json!([proxy, slot, B256::repeat_byte(1)]),
    );
    world.send(0, proxy, &IToolRegistry::toolCountCall {});
    served.index().await;
    assert!(
        world
            .tool(5)
            .await
            .predicate_facts
            .unwrap()
            .upgraded_at
            .is_some()
    );
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_predicates_of_a_composite_are_followed_while_the_indexer_runs() {
    // K-03
    let served = Served::start().await;
    let world = &served.world;
    let composite = world.deploy_predicate(&COMPOSITE_PREDICATE);
    let nft = world.deploy_predicate(&ERC721_OWNER_PREDICATE);
    served.publish("a", composite);
    let compose = CompositePredicate::setCompositionCall {
        toolId: U256::ONE,
        op: 0,
        terms: vec![CompositePredicate::Term {
            predicate: nft,
            negate: false,
        }],
    };
    let indexer = world.indexer_with(
        &world.anvil.url,
        served.options.clone(),
        served.hosts.clone(),
    );
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        let shutdown = async {
            let _ = stopped.await;
        };
        indexer.run(shutdown).await
    });
    let wait = async |condition: &dyn Fn(&ToolDetail) -> bool| {
        let wait = async {
            loop {
                let detail = world.store.detail(world.tool_key(1)).await.unwrap();
                if detail.is_some_and(|detail| condition(&detail)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
        waited.expect("the evaluation");
    };
    wait(&|detail| detail.access.is_some()).await;
    world.send(0, composite, &compose);
    let in_use = async || world.store.predicates_in_use(world.key(), 9).await.unwrap();
    let followed = async {
        while !in_use().await.contains(&nft) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let followed = tokio::time::timeout(Duration::from_secs(60), followed).await;
    followed.expect("the predicate of the composite");
    // Only the predicate inside of the composite emits an event.
    let collection = world.deploy_mock("PlainERC721", &[]);
    let collections = ERC721OwnerPredicate::setCollections_1Call {
        toolId: U256::ONE,
        collections: vec![collection],
    };
    world.send(0, nft, &collections);
    wait(&|detail| {
        let access = detail.access.as_ref().unwrap();
        let text = access.requirements.to_lowercase();
        text.contains(&format!("{collection:#x}"))
    })
    .await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_publishers_cost_bounded_work() {
    let mut served = Served::start().await;
    // A manifest beyond the limit, one at the limit, and a body that never ends.
    let padding = "x".repeat(2 << 20);
    served.server.put(
        &path("huge"),
        format!("{{ \"description\": \"{padding}\" }}"),
    );
    let padding = "y".repeat((1 << 20) - 1000);
    let mut manifest = served.manifest("large");
    manifest["padding"] = json!(padding);
    let hash = served.put("large", &manifest);
    served.server.route(&path("slow"), |_| {
        std::thread::sleep(Duration::from_secs(3600));
        Response::new(200, "{}")
    });
    served
        .world
        .register_as(0, &served.uri("huge"), B256::repeat_byte(1), Address::ZERO);
    served
        .world
        .register_as(0, &served.uri("large"), hash, Address::ZERO);
    served
        .world
        .register_many(40, "https://127.0.0.1/.well-known/ai-tool/x.json");
    served.publish("good", Address::ZERO);
    served
        .world
        .register_as(0, &served.uri("slow"), B256::repeat_byte(1), Address::ZERO);
    let internal = "https://localhost/.well-known/ai-tool/x.json";
    let hash = B256::repeat_byte(1);
    served.world.register_as(0, internal, hash, Address::ZERO);
    served.options.verification = Some(VerificationOptions {
        per_host: NonZeroUsize::new(4).unwrap(),
        ..VerificationOptions::default()
    });
    served.index().await;
    assert_ne!(
        served.world.tool(1).await.status,
        VerificationStatus::Verified
    );
    let good = served.world.tool(43).await;
    assert_eq!(good.status, VerificationStatus::Verified);
    // A body that does not arrive is inconclusive, not a failure.
    assert_eq!(
        served.world.tool(44).await.status,
        VerificationStatus::Unknown
    );
    // Reports are public: they do not say to what a host resolves.
    let report = served.detail(45).await.verification.unwrap().report;
    assert!(report.contains("forbidden-address"), "{report}");
    assert!(
        !report.contains("127.0.0.1") && !report.contains("::1"),
        "{report}"
    );
    // An address that is not public is never requested.
    assert_eq!(
        served.world.tool(10).await.status,
        VerificationStatus::Failed
    );
    served.world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prices_are_probed_only_where_a_price_is_expected() {
    let mut served = Served::start().await;
    served.options.verification = Some(VerificationOptions {
        probes_prices: true,
        ..VerificationOptions::default()
    });
    served.publish("open", Address::ZERO);
    let token = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    let mut priced = served.manifest("priced");
    priced["pricing"] = json!([{
        "amount": "1000",
        "asset": format!("eip155:8453/erc20:{token}"),
        "recipient": format!("eip155:8453:{:#x}", account(0)),
        "protocol": "x402",
    }]);
    let hash = served.put("priced", &priced);
    served
        .world
        .register_as(0, &served.uri("priced"), hash, Address::ZERO);
    let body = json!({ "x402Version": 1, "accepts": [{
        "scheme": "exact", "network": "base", "maxAmountRequired": "5000", "asset": token,
        "payTo": format!("{:#x}", account(0)), "resource": "https://x.example", "description": "", "mimeType": "",
        "maxTimeoutSeconds": 60,
    }] });
    served
        .server
        .route("/priced", move |_| Response::new(402, body.to_string()));
    served.index().await;
    assert_eq!(
        served.server.count("/open"),
        0,
        "an open tool is never called"
    );
    assert_eq!(served.server.count("/priced"), 1);
    let probe = served
        .detail(2)
        .await
        .verification
        .unwrap()
        .price_probe
        .unwrap();
    let probe: Value = serde_json::from_str(&probe).unwrap();
    assert_eq!(probe["result"], "differs", "{probe}");
    assert_eq!(
        served.detail(1).await.verification.unwrap().price_probe,
        None
    );
}
