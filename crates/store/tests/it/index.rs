//! One suite for both databases.

use std::{collections::BTreeMap, sync::Arc};

use alloy_primitives::{Address, B256, U256, keccak256};
use atr_store::{
    Error,
    index::{
        AccessResult, AccessType, Batch, Block, Certificate, ChangeKind, Event, EventBlock,
        EventKind, IndexStore, JobKind, ListQuery, Listing, NewRegistry, PredicateFacts,
        RegistryKey, RegistryStatus, SortOrder, ToolAccess, ToolKey, ToolState, UsageRecord,
        Verification, VerificationResult, VerificationStatus, open,
    },
};
use tempfile::TempDir;

const NOW: u64 = 1_800_000_000;

/// A database, and what must live as long.
struct Database {
    store: Arc<dyn IndexStore>,
    url: String,
    _folder: TempDir,
    #[cfg(feature = "postgres")]
    server: Option<atr_loopback::PostgresServer>,
}

async fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("index.sqlite").display());
    Database {
        store: open(&url).await.unwrap(),
        url,
        _folder: folder,
        #[cfg(feature = "postgres")]
        server: None,
    }
}

#[cfg(feature = "postgres")]
async fn postgres() -> Database {
    let server = atr_loopback::PostgresServer::start();
    // Two processes that start together.
    let (first, second) = tokio::join!(open(&server.url), open(&server.url));
    first.unwrap();
    Database {
        store: second.unwrap(),
        url: server.url.clone(),
        _folder: tempfile::tempdir().unwrap(),
        server: Some(server),
    }
}

fn registry_key(number: u8) -> RegistryKey {
    RegistryKey {
        chain_id: 8453,
        address: Address::repeat_byte(number),
    }
}

fn key(id: u64) -> ToolKey {
    ToolKey {
        registry: registry_key(1),
        id: U256::from(id),
    }
}

async fn add_registry(store: &Arc<dyn IndexStore>, key: RegistryKey) {
    let registry = NewRegistry {
        key,
        name: "test".to_owned(),
        is_canonical: true,
        first_block: 1,
        code_hash: B256::repeat_byte(9),
        proxy_indicators: "[]".to_owned(),
    };
    store.register(&registry, NOW).await.unwrap();
}

/// A block of a fork. Its hash follows from both.
fn block(number: u64, fork: u64) -> Block {
    Block {
        number,
        hash: keccak256(format!("{number} {fork}")),
        time: 1_700_000_000 + number * 12,
    }
}

fn event(kind: EventKind, log_index: u64, id: U256) -> Event {
    Event {
        kind,
        log_index,
        transaction: B256::repeat_byte(3),
        address: None,
        tool_id: Some(id),
        creator: None,
        predicate: None,
        metadata_uri: None,
        uri_key: None,
        manifest_hash: None,
        data: Vec::new(),
    }
}

fn registered(
    log_index: u64,
    id: u64,
    creator: u8,
    uri: &str,
    predicate: Option<Address>,
) -> Event {
    Event {
        creator: Some(Address::repeat_byte(creator)),
        predicate,
        ..updated(EventKind::Registered, log_index, U256::from(id), uri)
    }
}

fn updated(kind: EventKind, log_index: u64, id: U256, uri: &str) -> Event {
    let hash = keccak256(uri);
    Event {
        metadata_uri: Some(uri.to_owned()),
        uri_key: Some(hash[..16].try_into().unwrap()),
        manifest_hash: Some(hash),
        ..event(kind, log_index, id)
    }
}

/// Applies a batch on top of the stored version.
async fn apply(
    store: &Arc<dyn IndexStore>,
    registry: RegistryKey,
    rewind: Option<Option<u64>>,
    blocks: Vec<EventBlock>,
    tip: Block,
) -> atr_store::index::Applied {
    let version = store.registry(registry).await.unwrap().unwrap().version;
    let batch = Batch {
        registry,
        expected_version: version,
        rewind,
        blocks,
        tip,
        head: tip.number,
        checkpoint: format!("{{\"tip\":{}}}", tip.number),
        status: RegistryStatus::Following,
        now: NOW,
    };
    store.apply(&batch).await.unwrap()
}

async fn append(store: &Arc<dyn IndexStore>, number: u64, events: Vec<Event>) {
    let block = block(number, 0);
    let blocks = vec![EventBlock { block, events }];
    apply(store, registry_key(1), None, blocks, block).await;
}

async fn assert_rebuild(store: &Arc<dyn IndexStore>) {
    let rebuild = store.rebuild(false, NOW).await.unwrap();
    assert_eq!(
        rebuild.differences,
        [],
        "the projection is what the events give"
    );
    assert_eq!(rebuild.differing, 0);
}

fn verification(hash: B256, status: VerificationStatus, tags: &[&str]) -> Verification {
    Verification {
        manifest_hash: hash,
        status,
        failing_check: (status != VerificationStatus::Verified).then_some(3),
        report: "{}".to_owned(),
        checked_at: NOW,
        next_at: NOW + 1000,
        attempts: 0,
        served_hash: Some(hash),
        certificate: Some(Certificate {
            issuer: "CN=a\0b".to_owned(),
            not_before: 5,
        }),
        listing: Some(Listing {
            name: Some("nul \0 and \u{202e}".to_owned()),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Listing::default()
        }),
        diff: None,
        risks: Vec::new(),
        price_probe: None,
    }
}

async fn verify(
    store: &Arc<dyn IndexStore>,
    key: ToolKey,
    status: VerificationStatus,
    tags: &[&str],
) {
    let hash = store.tool(key).await.unwrap().unwrap().manifest_hash;
    let result = VerificationResult {
        key,
        verification: verification(hash, status, tags),
        manifest: Some(b"{}".to_vec()),
    };
    store.store_verification(&result).await.unwrap();
}

async fn ids(store: &Arc<dyn IndexStore>, query: ListQuery) -> Vec<u64> {
    let mut found = Vec::new();
    let mut query = ListQuery { limit: 2, ..query };
    loop {
        let page = store.list(&query).await.unwrap();
        assert!(page.items.len() <= 2);
        found.extend(page.items.iter().map(|tool| tool.key.id.to::<u64>()));
        let Some(next) = page.next else { break };
        query.cursor = Some(next);
    }
    found
}

/// Events become tools; text, numbers and positions are exact.
async fn stores_exactly(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    let uri = "https://tools.example/\0\u{202e}é";
    let largest = ToolKey {
        id: U256::MAX,
        ..key(0)
    };
    let events = vec![
        registered(0, 1_u64, 7, uri, None),
        Event {
            tool_id: Some(U256::MAX),
            ..registered(1, 0, 7, "x", Some(Address::repeat_byte(8)))
        },
    ];
    append(store, 10, events).await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(tool.metadata_uri, uri);
    assert_eq!(
        (tool.registered, tool.updated),
        (block(10, 0), block(10, 0))
    );
    assert_eq!(
        (tool.state, tool.updates, tool.access_type),
        (ToolState::Live, 0, AccessType::Open)
    );
    assert_eq!(
        (tool.change, tool.status),
        (ChangeKind::Registered, VerificationStatus::Pending)
    );
    let tool = store.tool(largest).await.unwrap().unwrap();
    assert_eq!((tool.key, tool.access_type), (largest, AccessType::Gated));

    let id = U256::from(1);
    append(
        store,
        11,
        vec![updated(EventKind::MetadataUpdated, 4, id, "y")],
    )
    .await;
    append(store, 12, vec![event(EventKind::Deregistered, 0, id)]).await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!((tool.state, tool.updates), (ToolState::Deregistered, 1));
    assert_eq!(
        (tool.metadata_uri.as_str(), tool.updated),
        ("y", block(12, 0))
    );
    let history = store.history(key(1)).await.unwrap();
    let kinds: Vec<_> = history.iter().map(|stored| stored.event.kind).collect();
    assert_eq!(
        kinds,
        [
            EventKind::Registered,
            EventKind::MetadataUpdated,
            EventKind::Deregistered
        ]
    );
    assert_eq!(history[0].event, registered(0, 1_u64, 7, uri, None));
    let found = store.tools(&[largest, key(5), key(1)]).await.unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|tool| tool.as_ref().map(|tool| tool.key))
        .collect();
    assert_eq!(found, [Some(largest), None, Some(key(1))]);
    let record = store.registry(registry_key(1)).await.unwrap().unwrap();
    assert_eq!((record.tip, record.tools), (Some(block(12, 0)), 2));
    assert_rebuild(store).await;
}

/// A batch applies once, and only on the version it was built on.
async fn rejects_stale_batches(store: &Arc<dyn IndexStore>) {
    let registry = registry_key(1);
    let record = store.registry(registry).await.unwrap().unwrap();
    let batch = Batch {
        registry,
        expected_version: record.version - 1,
        rewind: None,
        blocks: Vec::new(),
        tip: block(99, 0),
        head: 99,
        checkpoint: String::new(),
        status: RegistryStatus::Following,
        now: NOW,
    };
    assert!(matches!(store.apply(&batch).await, Err(Error::Conflict)));
    let unknown = Batch {
        registry: registry_key(77),
        ..batch
    };
    assert!(matches!(
        store.apply(&unknown).await,
        Err(Error::UnknownRegistry)
    ));
    assert_eq!(store.registry(registry).await.unwrap().unwrap(), record);
    // A registry that is added again keeps its pinned code hash.
    let again = NewRegistry {
        key: registry,
        name: "other".to_owned(),
        is_canonical: false,
        first_block: 5,
        code_hash: B256::ZERO,
        proxy_indicators: "[]".to_owned(),
    };
    let again = store.register(&again, NOW).await.unwrap();
    assert_eq!((again.code_hash, again.first_block), (record.code_hash, 1));
    assert_eq!((again.name.as_str(), again.is_canonical), ("other", false));
    store
        .set_status(
            registry,
            RegistryStatus::Halted,
            Some("why"),
            Some(500),
            NOW,
        )
        .await
        .unwrap();
    let halted = store.registry(registry).await.unwrap().unwrap();
    assert_eq!(
        (halted.status, halted.reason.as_deref(), halted.head),
        (RegistryStatus::Halted, Some("why"), 500)
    );
}

/// Lists, filters and cursors.
async fn lists(store: &Arc<dyn IndexStore>) {
    let other = RegistryKey {
        chain_id: 1,
        ..registry_key(1)
    };
    add_registry(store, registry_key(1)).await;
    add_registry(store, other).await;
    let predicate = Some(Address::repeat_byte(8));
    for id in 1..=6_u64 {
        let creator = u8::try_from(id % 2).unwrap();
        let event = registered(
            0,
            id,
            creator,
            &format!("uri{id}"),
            predicate.filter(|_| id > 4),
        );
        append(store, id, vec![event]).await;
    }
    let first = block(3, 9);
    let blocks = vec![EventBlock {
        block: first,
        events: vec![registered(0, 100_u64, 0, "uri100", None)],
    }];
    apply(store, other, None, blocks, first).await;
    for id in [1, 2, 5] {
        verify(store, key(id), VerificationStatus::Verified, &["a", "b\0"]).await;
    }
    verify(store, key(3), VerificationStatus::Failed, &["a"]).await;
    append(
        store,
        7,
        vec![event(EventKind::Deregistered, 0, U256::from(6))],
    )
    .await;

    let all = ListQuery::default();
    assert_eq!(ids(store, all.clone()).await, [5, 4, 100, 3, 2, 1]);
    let oldest = ListQuery {
        sort: SortOrder::Oldest,
        ..all.clone()
    };
    assert_eq!(ids(store, oldest.clone()).await, [1, 2, 3, 100, 4, 5]);
    let cases = [
        (
            ListQuery {
                include_deregistered: true,
                ..all.clone()
            },
            vec![6, 5, 4, 100, 3, 2, 1],
        ),
        (
            ListQuery {
                verified_only: true,
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                chain_id: Some(1),
                ..all.clone()
            },
            vec![100],
        ),
        (
            ListQuery {
                chain_id: Some(2),
                ..all.clone()
            },
            vec![],
        ),
        (
            ListQuery {
                registry: Some(registry_key(1)),
                ..all.clone()
            },
            vec![5, 4, 3, 2, 1],
        ),
        (
            ListQuery {
                creator: Some(Address::repeat_byte(1)),
                ..all.clone()
            },
            vec![5, 3, 1],
        ),
        (
            ListQuery {
                creator: Some(Address::repeat_byte(1)),
                verified_only: true,
                ..all.clone()
            },
            vec![5, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Open],
                ..all.clone()
            },
            vec![4, 100, 3, 2, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Gated],
                ..all.clone()
            },
            vec![5],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Gated, AccessType::Open],
                verified_only: true,
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                access_types: vec![AccessType::Open],
                verified_only: true,
                ..all.clone()
            },
            vec![2, 1],
        ),
        (
            ListQuery {
                tag: Some("a".to_owned()),
                ..all.clone()
            },
            vec![5, 3, 2, 1],
        ),
        (
            ListQuery {
                tag: Some("b\0".to_owned()),
                ..all.clone()
            },
            vec![5, 2, 1],
        ),
        (
            ListQuery {
                tag: Some("a".to_owned()),
                verified_only: true,
                ..oldest
            },
            vec![1, 2, 5],
        ),
        (
            ListQuery {
                tag: Some("b".to_owned()),
                ..all.clone()
            },
            vec![],
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(ids(store, query.clone()).await, expected, "{query:?}");
    }
    // A cursor belongs to its filters, and cannot be changed.
    let query = ListQuery { limit: 1, ..all };
    let cursor = store.list(&query).await.unwrap().next.unwrap();
    let others = [
        ListQuery {
            verified_only: true,
            cursor: Some(cursor.clone()),
            ..query.clone()
        },
        ListQuery {
            cursor: Some(format!("{cursor}A")),
            ..query.clone()
        },
        ListQuery {
            cursor: Some("x".to_owned()),
            ..query
        },
    ];
    for query in others {
        assert!(
            matches!(store.list(&query).await, Err(Error::InvalidCursor)),
            "{query:?}"
        );
    }
    // K-21, T-53: registrations of one URI are found, also in other registries.
    append(store, 8, vec![registered(0, 7_u64, 0, "uri100", None)]).await;
    let detail = store.detail(key(7)).await.unwrap().unwrap();
    assert_eq!(detail.tool.duplicates, 1);
    assert_eq!(
        detail.duplicates,
        [ToolKey {
            registry: other,
            id: U256::from(100)
        }]
    );
    assert_eq!(store.duplicates(key(5)).await.unwrap(), []);
    // A listing, its certificate and its bytes survive, NUL included.
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    let stored = detail.verification.unwrap();
    assert_eq!(
        stored,
        verification(
            detail.tool.manifest_hash,
            VerificationStatus::Verified,
            &["a", "b\0"]
        )
    );
    assert_eq!(detail.manifest.as_deref(), Some(&b"{}"[..]));
    let status = store.status(NOW).await.unwrap();
    assert_eq!(
        (status.by_status, status.registries.len()),
        ([3, 3, 1, 0], 2)
    );
    assert_rebuild(store).await;
}

/// The queue and what it stores.
async fn queues(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    let predicate = Address::repeat_byte(8);
    let events = vec![
        registered(0, 1_u64, 1, "a", Some(predicate)),
        registered(1, 2_u64, 1, "b", None),
        registered(2, 3_u64, 1, "c", None),
        event(EventKind::Deregistered, 3, U256::from(3)),
    ];
    append(store, 1, events).await;
    let claim = async |kind, now| {
        let jobs = store.claim(kind, "test", 10, now, now + 60).await.unwrap();
        let mut keys: Vec<_> = jobs.iter().map(|job| job.key).collect();
        keys.sort();
        keys
    };
    assert_eq!(claim(JobKind::Verification, NOW).await, [key(1), key(2)]);
    assert_eq!(claim(JobKind::Verification, NOW + 59).await, []);
    // The worker died.
    assert_eq!(
        claim(JobKind::Verification, NOW + 60).await,
        [key(1), key(2)]
    );
    store
        .release(key(2), JobKind::Verification, NOW + 100)
        .await
        .unwrap();
    verify(store, key(1), VerificationStatus::Unknown, &[]).await;
    assert_eq!(claim(JobKind::Verification, NOW + 100).await, [key(2)]);
    let jobs = store
        .claim(JobKind::Verification, "test", 10, NOW + 1000, NOW + 2000)
        .await
        .unwrap();
    let previous = jobs
        .iter()
        .find(|job| job.key == key(1))
        .unwrap()
        .previous
        .clone();
    assert_eq!(previous.unwrap().status, VerificationStatus::Unknown);
    // Asked for again while it is leased: due at once, also after the leased one ends.
    assert!(store.request_verification(key(1), NOW).await.unwrap());
    assert!(!store.request_verification(key(3), NOW).await.unwrap());
    verify(store, key(1), VerificationStatus::Verified, &["x"]).await;
    assert_eq!(claim(JobKind::Verification, NOW + 1).await, [key(1)]);

    // An update makes the tool pending; the result of the earlier hash is kept and returns with a reorg.
    append(
        store,
        2,
        vec![updated(EventKind::MetadataUpdated, 0, U256::from(1), "a2")],
    )
    .await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (tool.status, tool.next_check_at, tool.listing),
        (VerificationStatus::Pending, 0, None)
    );
    let tag = ListQuery {
        tag: Some("x".to_owned()),
        ..ListQuery::default()
    };
    assert_eq!(ids(store, tag.clone()).await, Vec::<u64>::new());
    apply(
        store,
        registry_key(1),
        Some(Some(1)),
        Vec::new(),
        block(2, 1),
    )
    .await;
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (tool.status, tool.change),
        (VerificationStatus::Verified, ChangeKind::Reorged)
    );
    assert_eq!(ids(store, tag).await, [1]);

    // Evaluation of the predicate.
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    let result = AccessResult {
        key: key(1),
        access: ToolAccess {
            predicate,
            access_type: AccessType::NftGated,
            requirements: "[]".to_owned(),
            always_denies: true,
            checked_at: NOW,
        },
        facts: PredicateFacts {
            has_code: true,
            is_proxy: true,
            proxy_indicators: "[]".to_owned(),
            ..PredicateFacts::default()
        },
    };
    store.store_access(&result).await.unwrap();
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    assert_eq!(detail.access, Some(result.access.clone()));
    assert_eq!(detail.tool.predicate_facts, Some(result.facts.clone()));
    assert_eq!(
        (detail.tool.access_type, detail.tool.always_denies),
        (AccessType::NftGated, true)
    );
    assert_eq!(claim(JobKind::Access, NOW + 1000).await, []);
    // K-03: an upgrade and a configuration make it due again.
    let upgraded = Event {
        address: Some(predicate),
        tool_id: None,
        ..event(EventKind::Upgraded, 0, U256::ZERO)
    };
    append(store, 3, vec![upgraded]).await;
    assert_eq!(
        store.upgraded_at(registry_key(1), predicate).await.unwrap(),
        Some(block(3, 0).time)
    );
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    let configured = Event {
        address: Some(predicate),
        ..event(EventKind::Configured, 0, U256::from(1))
    };
    append(store, 4, vec![configured]).await;
    store.store_access(&result).await.unwrap();
    assert_eq!(
        claim(JobKind::Access, NOW).await,
        [key(1)],
        "configured while it was evaluated"
    );
    store.store_access(&result).await.unwrap();
    // The reorg takes the upgrade back, and both are evaluated again.
    apply(
        store,
        registry_key(1),
        Some(Some(2)),
        Vec::new(),
        block(4, 1),
    )
    .await;
    assert_eq!(
        store.upgraded_at(registry_key(1), predicate).await.unwrap(),
        None
    );
    assert_eq!(claim(JobKind::Access, NOW).await, [key(1)]);
    assert_eq!(
        store.predicates_in_use(registry_key(1), 5).await.unwrap(),
        [predicate]
    );
    // Another predicate: the evaluation is of no use any more.
    let open = event(EventKind::PredicateUpdated, 0, U256::from(1));
    append(store, 5, vec![open]).await;
    store.store_access(&result).await.unwrap();
    let detail = store.detail(key(1)).await.unwrap().unwrap();
    assert_eq!(
        (detail.access, detail.tool.access_type),
        (None, AccessType::Open)
    );
    assert_rebuild(store).await;
}

/// The change feed has the last change of each tool, in order of commits.
async fn feeds(store: &Arc<dyn IndexStore>) {
    add_registry(store, registry_key(1)).await;
    append(
        store,
        1,
        vec![
            registered(0, 1_u64, 1, "a", None),
            registered(1, 2_u64, 1, "b", None),
        ],
    )
    .await;
    let start = store.last_seq().await.unwrap();
    verify(store, key(1), VerificationStatus::Verified, &[]).await;
    append(
        store,
        2,
        vec![event(EventKind::Deregistered, 0, U256::from(2))],
    )
    .await;
    let record = UsageRecord {
        key: key(1),
        chain_id: 10,
        unique: vec![0, 1],
        verification_type: "settlement".to_owned(),
        caller: Address::repeat_byte(5),
        transaction: Some(B256::repeat_byte(6)),
        payment: Some((Address::repeat_byte(7), U256::MAX)),
        used_at: NOW,
    };
    let changes = store.changes_since(start, 10).await.unwrap();
    let kinds: Vec<_> = changes
        .iter()
        .map(|change| (change.tool.key, change.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            (key(1), ChangeKind::Verification),
            (key(2), ChangeKind::Deregistered)
        ]
    );
    assert_eq!(changes.last().unwrap().seq, store.last_seq().await.unwrap());
    let first = store.record_usage(&record, NOW + 50).await.unwrap();
    assert!(first.is_some());
    assert_eq!(store.record_usage(&record, NOW + 60).await.unwrap(), None);
    let activity = store.activity(key(1), 10, 0).await.unwrap();
    assert_eq!(activity.len(), 1);
    assert_eq!(
        (Some(activity[0].id), &activity[0].record),
        (first, &record)
    );
    let stats = store.usage_stats(key(1)).await.unwrap();
    assert_eq!(
        (stats.count, stats.callers, stats.last_at),
        (1, 1, Some(NOW))
    );
    // By time, and across a reorg that removes a registration.
    let seq = store.seq_at(NOW + 50).await.unwrap();
    let changes = store.changes_since(seq - 1, 10).await.unwrap();
    assert_eq!(
        changes.iter().map(|change| change.kind).collect::<Vec<_>>(),
        [ChangeKind::Usage]
    );
    assert_eq!(
        store.seq_at(NOW + 51).await.unwrap(),
        store.last_seq().await.unwrap() + 1
    );
    let before = store.last_seq().await.unwrap();
    apply(
        store,
        registry_key(1),
        Some(None),
        vec![EventBlock {
            block: block(1, 5),
            events: vec![registered(0, 1_u64, 1, "a", None)],
        }],
        block(2, 5),
    )
    .await;
    assert_eq!(store.tool(key(2)).await.unwrap(), None);
    let changes = store.changes_since(before, 10).await.unwrap();
    let kinds: BTreeMap<_, _> = changes
        .iter()
        .map(|change| (change.tool.key, change.kind))
        .collect();
    assert_eq!(
        kinds,
        [(key(1), ChangeKind::Reorged), (key(2), ChangeKind::Undone)].into()
    );
    assert_eq!(
        store
            .registry(registry_key(1))
            .await
            .unwrap()
            .unwrap()
            .tools,
        1
    );
    assert_rebuild(store).await;
}

/// Random forks: after each batch the projection is what the canonical events give, and equal to a plain model.
async fn follows_random_forks(store: &Arc<dyn IndexStore>, seed: u64) {
    let registry = registry_key(1);
    add_registry(store, registry).await;
    let mut random = seed;
    let mut next = move |bound: u64| {
        // xorshift64*
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    };
    let mut chain: Vec<EventBlock> = Vec::new();
    let mut abandoned: Vec<EventBlock> = Vec::new();
    for step in 0..60_u64 {
        let rewind = (next(3) == 0 && !chain.is_empty()).then(|| {
            let kept = usize::try_from(next(chain.len() as u64 + 1)).unwrap();
            abandoned = chain.split_off(kept);
            chain.last().map(|block| block.block.number)
        });
        let mut blocks = Vec::new();
        if next(4) == 0 {
            // Blocks that left the chain return.
            blocks.append(&mut abandoned);
        } else {
            for _ in 0..next(4) {
                abandoned.clear();
                let last = blocks.last().or(chain.last());
                let number = last.map_or(1, |block: &EventBlock| block.block.number + 1);
                let count = chain.iter().chain(&blocks).flat_map(|block| &block.events);
                let mut count = count
                    .filter(|event| event.kind == EventKind::Registered)
                    .count() as u64;
                let mut events = Vec::new();
                for log in 0..=next(4) {
                    let id = U256::from(next(count.max(1)) + 1);
                    let uri = format!("{}", next(5));
                    events.push(match next(4) {
                        1 if count > 0 => updated(EventKind::MetadataUpdated, log, id, &uri),
                        2 if count > 0 => event(EventKind::PredicateUpdated, log, id),
                        3 if count > 0 => event(EventKind::Deregistered, log, id),
                        _ => {
                            count += 1;
                            registered(log, count, 1, &uri, None)
                        }
                    });
                }
                blocks.push(EventBlock {
                    block: block(number, step),
                    events,
                });
            }
        }
        // Overlap: the last known blocks are read again.
        let overlap = usize::try_from(next(3)).unwrap().min(chain.len());
        let mut read = chain[chain.len() - overlap..].to_vec();
        read.extend(blocks.iter().cloned());
        chain.extend(blocks);
        let tip = chain.last().map_or(block(1, 0), |block| block.block);
        apply(store, registry, rewind, read, tip).await;

        let mut model: BTreeMap<U256, (ToolState, String, u64, Block)> = BTreeMap::new();
        for EventBlock { block, events } in &chain {
            for event in events {
                let id = event.tool_id.unwrap();
                if event.kind == EventKind::Registered {
                    model.insert(
                        id,
                        (
                            ToolState::Live,
                            event.metadata_uri.clone().unwrap(),
                            0,
                            *block,
                        ),
                    );
                    continue;
                }
                let tool = model.get_mut(&id).unwrap();
                tool.3 = *block;
                match event.kind {
                    EventKind::MetadataUpdated => {
                        (tool.1, tool.2) = (event.metadata_uri.clone().unwrap(), tool.2 + 1)
                    }
                    EventKind::PredicateUpdated => tool.2 += 1,
                    _ => tool.0 = ToolState::Deregistered,
                }
            }
        }
        let changes = store.changes_since(0, 1000).await.unwrap();
        let found = changes
            .into_iter()
            .map(|change| change.tool)
            .filter(|tool| tool.state != ToolState::Undone);
        let found: BTreeMap<_, _> = found
            .map(|tool| {
                (
                    tool.key.id,
                    (tool.state, tool.metadata_uri, tool.updates, tool.updated),
                )
            })
            .collect();
        assert_eq!(found, model, "seed {seed}, step {step}");
        assert_eq!(
            store.registry(registry).await.unwrap().unwrap().tools,
            model.len() as u64
        );
        assert_rebuild(store).await;
    }
}

/// One process holds the lock; another takes over.
async fn locks(database: &Database) {
    let other = open(&database.url).await.unwrap();
    let mut lock = database.store.try_lock().await.unwrap().unwrap();
    assert!(lock.is_held().await.unwrap());
    assert!(other.try_lock().await.unwrap().is_none());
    drop(lock);
    // The server ends the session of a closed connection soon.
    let mut taken = None;
    while taken.is_none() {
        taken = other.try_lock().await.unwrap();
    }
}

#[tokio::test]
async fn sqlite_stores_exactly() {
    let database = sqlite().await;
    stores_exactly(&database.store).await;
    rejects_stale_batches(&database.store).await;
    locks(&database).await;
}

#[tokio::test]
async fn sqlite_lists() {
    lists(&sqlite().await.store).await;
}

#[tokio::test]
async fn sqlite_queues() {
    queues(&sqlite().await.store).await;
}

#[tokio::test]
async fn sqlite_feeds() {
    feeds(&sqlite().await.store).await;
}

#[tokio::test]
async fn sqlite_follows_random_forks() {
    // K-22: reorgs lose no tombstones.
    for seed in 1..=8 {
        follows_random_forks(&sqlite().await.store, seed).await;
    }
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn postgres_does_the_same() {
    let database = postgres().await;
    stores_exactly(&database.store).await;
    rejects_stale_batches(&database.store).await;
    locks(&database).await;
    for number in 0..4 {
        let name = format!("test{number}");
        let admin = database.server.as_ref().unwrap();
        admin.create_database(&name);
        let store = open(&admin.url.replace("/postgres?", &format!("/{name}?")))
            .await
            .unwrap();
        match number {
            0 => lists(&store).await,
            1 => queues(&store).await,
            2 => feeds(&store).await,
            _ => follows_random_forks(&store, 1).await,
        }
    }
    // A commit that returned survives a crash of the server; the pool connects again.
    let before = database.store.changes_since(0, 1000).await.unwrap();
    database.server.as_ref().unwrap().crash();
    let mut after = database.store.changes_since(0, 1000).await;
    while after.is_err() {
        after = database.store.changes_since(0, 1000).await;
    }
    assert_eq!(after.unwrap(), before);
}

#[tokio::test]
async fn a_damaged_projection_is_found_and_repaired() {
    let database = sqlite().await;
    let store = &database.store;
    add_registry(store, registry_key(1)).await;
    let events = (1..=2500_u64)
        .map(|id| registered(id, id, 1, "a", None))
        .collect();
    append(store, 1, events).await;
    let rebuild = store.rebuild(false, NOW).await.unwrap();
    assert_eq!(
        (rebuild.tools, rebuild.events, rebuild.differing),
        (2500, 2500, 0)
    );
    let path = database.url.strip_prefix("sqlite://").unwrap();
    let pool = sqlx::SqlitePool::connect(path).await.unwrap();
    for statement in [
        "UPDATE tools SET updates = 7, state = 1 WHERE tool_id = (SELECT max(tool_id) FROM tools)",
        "DELETE FROM tools WHERE tool_id = (SELECT min(tool_id) FROM tools)",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let rebuild = store.rebuild(false, NOW).await.unwrap();
    assert_eq!(rebuild.differing, 2);
    assert_eq!(
        rebuild.differences[0].detail,
        "in the events, but not stored"
    );
    assert!(
        rebuild.differences[1]
            .detail
            .contains("updates: stored 7, computed 0"),
        "{rebuild:?}"
    );
    assert_eq!(store.rebuild(true, NOW).await.unwrap().differing, 2);
    assert_rebuild(store).await;
    assert_eq!(
        store.tool(key(1)).await.unwrap().unwrap().change,
        ChangeKind::Rebuilt
    );
}

#[tokio::test]
async fn a_page_does_bounded_work_and_continues() {
    let database = sqlite().await;
    let store = &database.store;
    add_registry(store, registry_key(1)).await;
    let events = (1..=2500_u64)
        .map(|id| registered(id, id, u8::from(id == 5), "a", None))
        .collect();
    append(store, 1, events).await;
    verify(store, key(5), VerificationStatus::Failed, &[]).await;
    // Tool 5 is the only one, beyond the rows that a page looks at.
    let gated = ListQuery {
        registry: Some(registry_key(1)),
        access_types: vec![AccessType::Open],
        ..ListQuery::default()
    };
    assert_eq!(ids(store, gated).await.len(), 2500);
    let none = ListQuery {
        access_types: vec![AccessType::Gated, AccessType::Subscription],
        limit: 10,
        ..ListQuery::default()
    };
    let page = store.list(&none).await.unwrap();
    assert!(page.items.is_empty() && page.next.is_some());
    assert_eq!(ids(store, none).await, Vec::<u64>::new());
}

#[tokio::test]
async fn a_newer_database_is_rejected() {
    let database = sqlite().await;
    let path = database.url.strip_prefix("sqlite://").unwrap();
    let pool = sqlx::SqlitePool::connect(path).await.unwrap();
    sqlx::query("UPDATE index_meta SET version = 1000")
        .execute(&pool)
        .await
        .unwrap();
    let error = open(&database.url).await.unwrap_err();
    assert!(
        matches!(error, Error::NewerSchema { found: 1000, .. }),
        "{error}"
    );
}
