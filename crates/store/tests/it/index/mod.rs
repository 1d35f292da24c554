//! One suite for both databases.

/// Events and batches.
mod events;
/// The change feed.
mod feed;
/// Reorgs.
mod forks;
/// Lists and cursors.
mod lists;
/// Verifications and evaluations.
mod queue;
/// When a verdict counts.
mod verdicts;

use std::{collections::BTreeMap, sync::Arc};

use alloy_primitives::{Address, B256, U256, keccak256};
use atr_store::{
    Error,
    index::{
        AccessResult, AccessType, Batch, Block, Certificate, ChangeKind, Claim, Event, EventBlock,
        EventKind, IndexStore, Job, JobClass, JobKind, ListQuery, Listing, NewRegistry,
        PredicateFacts, PredicateTerm, RecordedUsage, RegistryKey, RegistryStatus, SortOrder,
        ToolAccess, ToolKey, ToolState, UsageRecord, Verification, VerificationResult,
        VerificationStatus, open,
    },
};
use tempfile::TempDir;

use self::{
    events::{rejects_stale_batches, stores_exactly},
    feed::feeds,
    forks::follows_random_forks,
    lists::lists,
    queue::{follows_terms, queues},
    verdicts::verdicts_count,
};

const NOW: u64 = 1_800_000_000;

fn clock() -> u64 {
    NOW
}

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
        store: open(&url, clock).await.unwrap(),
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
    let (first, second) = tokio::join!(open(&server.url, clock), open(&server.url, clock));
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
        metadata_uri: String::new(),
        manifest_hash: hash,
        creator: Address::ZERO,
        fresh_until: NOW,
        status,
        failing_check: (status != VerificationStatus::Verified).then_some(3),
        report: "{}".to_owned(),
        checked_at: NOW,
        next_at: NOW + 1000,
        attempts: 0,
        served_hash: Some(hash),
        name_servers: Some(vec!["a.ns.example.".to_owned(), "b.ns.example.".to_owned()]),
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
    let tool = store.tool(key).await.unwrap().unwrap();
    let result = VerificationResult {
        key,
        verification: Verification {
            metadata_uri: tool.metadata_uri,
            creator: tool.creator,
            ..verification(tool.manifest_hash, status, tags)
        },
        manifest: Some(b"{}".to_vec()),
    };
    assert!(store.store_verification(&result).await.unwrap());
}

/// Claims up to 10 jobs of a kind.
async fn claim_all(store: &Arc<dyn IndexStore>, kind: JobKind, now: u64, until: u64) -> Vec<Job> {
    let claim = Claim {
        kind,
        class: None,
        busy_creators: &[],
        limit: 10,
        now,
        until,
    };
    store.claim(&claim).await.unwrap()
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

/// One process holds the lock; another takes over.
async fn locks(database: &Database) {
    let other = open(&database.url, clock).await.unwrap();
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
    follows_terms(&sqlite().await.store).await;
    verdicts_count(&sqlite().await.store).await;
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
    for number in 0..6 {
        let name = format!("test{number}");
        let admin = database.server.as_ref().unwrap();
        admin.create_database(&name);
        let store = open(
            &admin.url.replace("/postgres?", &format!("/{name}?")),
            clock,
        )
        .await
        .unwrap();
        match number {
            0 => lists(&store).await,
            1 => queues(&store).await,
            2 => feeds(&store).await,
            3 => follows_terms(&store).await,
            4 => verdicts_count(&store).await,
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
    // A verified row without a verdict: never shown, and found.
    sqlx::query("UPDATE tools SET status = 1, fresh_until = 9000000000 WHERE tool_id = (SELECT min(tool_id) FROM tools)")
        .execute(&pool)
        .await
        .unwrap();
    let tool = store.tool(key(1)).await.unwrap().unwrap();
    assert_eq!(tool.status, VerificationStatus::Pending);
    let rebuild = store.rebuild(true, NOW).await.unwrap();
    assert!(rebuild.differences[0].detail.contains("no such verdict"));
    assert_rebuild(store).await;
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
    let error = open(&database.url, clock).await.unwrap_err();
    assert!(
        matches!(error, Error::NewerSchema { found: 1000, .. }),
        "{error}"
    );
}
