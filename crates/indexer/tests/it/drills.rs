use std::{
    ffi::OsStr,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use alloy_primitives::{Address, B256};
use atr_indexer::{Error, Report};
use atr_loopback::{Action, PostgresServer, RpcProxy};
use atr_store::index::{RegistryStatus, open};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::world::{URI, World, now, options};

/// Variables of the process that is killed.
const DATABASE: &str = "ATR_INDEXER_TEST_DATABASE";
const RPC_URL: &str = "ATR_INDEXER_TEST_RPC_URL";
const REGISTRY: &str = "ATR_INDEXER_TEST_REGISTRY";

/// An indexer that follows in the background.
struct Running {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Error>>,
}

impl Running {
    fn start(world: &World, url: &str) -> Self {
        let indexer = world.indexer(url);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            indexer.run(shutdown).await
        });
        Self { stop, task }
    }

    async fn stop(self) {
        let _ = self.stop.send(());
        self.task.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn follows_reorgs_without_losing_tombstones() {
    // K-22
    let world = World::start().await;
    for _ in 0..5 {
        world.register();
    }
    let running = Running::start(&world, &world.anvil.url);
    world.wait_for_head().await;
    world.check().await;
    // An event-removing reorg: an update, a tombstone and a registration leave the chain.
    world.update(1, "https://b.example", B256::repeat_byte(9));
    world.deregister(2);
    world.register();
    world.wait_for_head().await;
    world.check().await;
    world.reorg(3);
    world.wait_for_head().await;
    world.check().await;
    // They return in another order.
    world.deregister(2);
    world.register();
    world.update(1, "https://c.example", B256::repeat_byte(8));
    world.wait_for_head().await;
    world.check().await;
    // The tip is replaced by a block of the same height.
    let before = world.head();
    world.reorg(1);
    assert_eq!(world.head().0, before.0);
    assert_ne!(world.head().1, before.1);
    world.wait_for_head().await;
    world.check().await;
    assert_eq!(world.tool(1).await.metadata_uri, URI);
    // 60 blocks with events.
    for _ in 0..60 {
        world.register();
    }
    world.wait_for_head().await;
    world.check().await;
    world.reorg(60);
    world.wait_for_head().await;
    world.check().await;
    running.stop().await;
    // While nobody looked.
    world.register();
    world.deregister(3);
    world.index().await;
    world.reorg(2);
    world.register();
    world.mine(3);
    world.index().await;
    world.check().await;
    let reorgs = world.reports.lock().unwrap();
    let reorgs = reorgs
        .iter()
        .filter(|report| matches!(report, Report::Reorg { .. }));
    assert!(reorgs.count() >= 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn recovers_from_failed_and_truncated_rpc_responses() {
    let world = World::start().await;
    world.register_many(50, URI);
    for _ in 0..20 {
        world.register();
    }
    world.mine(200);
    let count = Arc::new(AtomicUsize::new(0));
    let counter = count.clone();
    let proxy = RpcProxy::start(&world.anvil.url, move |request| {
        // Every third request fails, each in another way.
        match counter.fetch_add(1, Ordering::SeqCst) % 15 {
            0 => Action::HttpStatus(429),
            3 => Action::HttpStatus(502),
            6 => Action::Truncate,
            9 => Action::Disconnect,
            12 if request.method == "eth_getLogs" => Action::Fail("internal error"),
            _ => Action::Forward,
        }
    });
    let running = Running::start(&world, &proxy.url);
    world.wait_for_head().await;
    world.register();
    world.reorg(1);
    world.register();
    world.wait_for_head().await;
    running.stop().await;
    world.check().await;
    assert!(count.load(Ordering::SeqCst) > 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_node_is_asked_again() {
    let world = World::start().await;
    world.register_many(10, URI);
    let proxy = RpcProxy::start(&world.anvil.url, |request| {
        if request.method == "eth_getLogs" && request.nth == 1 {
            Action::Hold
        } else {
            Action::Forward
        }
    });
    let running = Running::start(&world, &proxy.url);
    let _ = proxy.wait_until_held();
    world.wait_for_head().await;
    running.stop().await;
    world.check().await;
}

/// A node without some logs, as long as the flag is set.
fn forgetful(world: &World, change: fn(&mut Value)) -> (RpcProxy, Arc<AtomicBool>) {
    let forgets = Arc::new(AtomicBool::new(true));
    let flag = forgets.clone();
    let proxy = RpcProxy::start(&world.anvil.url, move |request| {
        if request.method == "eth_getLogs" && flag.load(Ordering::SeqCst) {
            Action::Change(change)
        } else {
            Action::Forward
        }
    });
    (proxy, forgets)
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_events_halt_the_registry_until_the_node_has_them() {
    let no_logs: fn(&mut Value) = |logs| *logs = json!([]);
    let one_missing: fn(&mut Value) = |logs| {
        let id = format!("{:?}", B256::with_last_byte(3));
        logs.as_array_mut()
            .unwrap()
            .retain(|log| log["topics"][1] != id);
    };
    // A pruned node answers without logs; a gap in the ids.
    for change in [no_logs, one_missing] {
        let world = World::start().await;
        for _ in 0..6 {
            world.register();
        }
        // The logs are far below the head: the ranges say nothing about them.
        world.mine(400);
        let (proxy, forgets) = forgetful(&world, change);
        let error = world.indexer(&proxy.url).run_once().await.unwrap_err();
        assert!(
            matches!(
                error,
                Error::Registry(
                    atr_registry::Error::EventsMissing { .. }
                        | atr_registry::Error::EventGap { .. }
                )
            ),
            "{error:?}"
        );
        let record = world.store.registry(world.key()).await.unwrap().unwrap();
        assert_eq!(record.status, RegistryStatus::Halted);
        assert!(
            record
                .reason
                .unwrap()
                .contains("events of the registry are missing")
        );
        // The follower tries again by itself.
        let running = Running::start(&world, &proxy.url);
        forgets.store(false, Ordering::SeqCst);
        world.register();
        world.wait_for_head().await;
        running.stop().await;
        world.check().await;
        let record = world.store.registry(world.key()).await.unwrap().unwrap();
        assert_eq!(
            (record.status, record.reason),
            (RegistryStatus::Following, None)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorg_beyond_the_retained_depth_halts() {
    let world = World::start().await;
    for _ in 0..10 {
        world.register();
    }
    let mut options = options();
    options.stream.retained_depth = 3;
    let indexer = |options| {
        world.indexer_with(
            &world.anvil.url,
            options,
            atr_fetch::AllowedHosts::default(),
        )
    };
    indexer(options.clone()).run_once().await.unwrap();
    world.reorg(8);
    world.mine(10);
    let error = indexer(options).run_once().await.unwrap_err();
    assert!(error.to_string().contains("reorg"), "{error}");
    let record = world.store.registry(world.key()).await.unwrap().unwrap();
    assert_eq!(record.status, RegistryStatus::Halted);
    // Nothing was deleted.
    assert_eq!(record.tools, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_code_of_the_registry_halts_before_anything_is_written() {
    // K-04, K-05
    let world = World::start().await;
    world.register();
    world.index().await;
    let record = world.store.registry(world.key()).await.unwrap().unwrap();
    assert!(!record.is_canonical, "an unknown registry is labelled");
    let code = world
        .anvil
        .request("eth_getCode", json!([world.registry, "latest"]));
    assert_eq!(
        record.code_hash,
        alloy_primitives::keccak256(alloy_primitives::hex::decode(code.as_str().unwrap()).unwrap())
    );
    world.register();
    let swapped = format!("{}00", code.as_str().unwrap());
    world
        .anvil
        .request("anvil_setCode", json!([world.registry, swapped]));
    world.mine(1);
    let error = world
        .indexer(&world.anvil.url)
        .run_once()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::CodeChanged { .. }), "{error:?}");
    let after = world.store.registry(world.key()).await.unwrap().unwrap();
    assert_eq!(
        (after.status, after.tip),
        (RegistryStatus::CodeChanged, record.tip)
    );
    assert!(after.reason.unwrap().contains("pinned"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_takes_over() {
    let world = World::start().await;
    world.register();
    let first = Running::start(&world, &world.anvil.url);
    world.wait_for_head().await;
    let second = Running::start(&world, &world.anvil.url);
    assert!(matches!(
        world.indexer(&world.anvil.url).run_once().await,
        Err(Error::Locked)
    ));
    first.stop().await;
    world.register();
    world.wait_for_head().await;
    second.stop().await;
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_a_crash_of_the_database() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let world = World::with_store(open(&server.url, now).await.unwrap(), folder);
    world.register_many(300, URI);
    let running = Running::start(&world, &world.anvil.url);
    world.register();
    for round in 0..3 {
        world.register_many(100, URI);
        world.deregister(301 + round * 101);
        server.crash();
        world.register();
        world.wait_for_head().await;
    }
    running.stop().await;
    world.check().await;
}

/// Indexes from variables until it is killed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "runs in the process that survives_sigkill kills"]
#[expect(clippy::disallowed_methods, reason = "the parent passes variables")]
async fn indexes_until_it_is_killed() {
    use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
    use atr_indexer::{IndexedRegistry, Indexer};
    use atr_rpc::{Endpoints, Node};
    let variable = |name| std::env::var(name).unwrap();
    let store = open(&variable(DATABASE), now).await.unwrap();
    let node = Node::try_new(Endpoints {
        urls: vec![variable(RPC_URL).parse().unwrap()],
        send_url: None,
        headers: Vec::new(),
        timeout: Duration::from_secs(30),
    });
    let address: Address = variable(REGISTRY).parse().unwrap();
    let registry = IndexedRegistry {
        registry: atr_registry::Registry::new(node.unwrap().provider().clone(), address, 31337),
        name: String::new(),
        is_canonical: false,
        first_block: 0,
    };
    let http = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default()).unwrap();
    let indexer = Indexer::new(store, vec![registry], http, options(), now);
    indexer.run(std::future::pending()).await.unwrap();
}

/// Starts a process that indexes.
fn spawn(world: &World, database: impl AsRef<OsStr>) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "drills::indexes_until_it_is_killed", "--ignored"])
        .env(DATABASE, database)
        .env(RPC_URL, &world.anvil.url)
        .env(REGISTRY, world.registry.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkill_within_a_transaction_leaves_nothing_of_it() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let world = World::with_store(open(&server.url, now).await.unwrap(), folder);
    world.register();
    world.index().await;
    let position = async || {
        let record = world.store.registry(world.key()).await.unwrap().unwrap();
        (record.version, record.tip, record.checkpoint, record.tools)
    };
    let before = position().await;
    world.register_many(300, URI);
    // The blocks and events of the batch are written; its tools wait for this lock.
    let lock = server.hold("LOCK TABLE tools IN SHARE MODE");
    let mut process = spawn(&world, &server.url);
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO tools%'";
    let wait_for = async |count: &str| {
        let wait = async {
            while server.query(waiting) != count {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
        waited.expect("a transaction that waits for the lock");
    };
    wait_for("1").await;
    process.kill().unwrap();
    process.wait().unwrap();
    drop(lock);
    wait_for("0").await;
    assert_eq!(position().await, before);
    let rebuild = world.store.rebuild(false, 0).await.unwrap();
    assert_eq!((rebuild.differences, rebuild.events), (Vec::new(), 1));
    world.index().await;
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_sigkill() {
    let world = World::start().await;
    let database = world.folder.path().join("index.sqlite");
    for round in 0..4_u64 {
        // Blocks of many events: a kill during the write of one is likely.
        for _ in 0..4 {
            world.register_many(300, URI);
            world.mine(12);
        }
        let mut process = spawn(&world, database.as_os_str());
        // Killed as soon as it has written something new.
        let start = world
            .store
            .registry(world.key())
            .await
            .unwrap()
            .map_or(0, |record| record.version);
        loop {
            let version = world
                .store
                .registry(world.key())
                .await
                .unwrap()
                .map_or(0, |record| record.version);
            if version > start + round
                || world
                    .store
                    .registry(world.key())
                    .await
                    .unwrap()
                    .is_some_and(|record| record.tip.map(|tip| tip.number) == Some(world.head().0))
            {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let rebuild = world.store.rebuild(false, 0).await.unwrap();
        assert_eq!(rebuild.differences, [], "after a kill");
    }
    world.index().await;
    world.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_count_of_duplicates_is_bounded() {
    let world = World::start().await;
    for _ in 0..5 {
        world.register_many(1000, URI);
    }
    world.register_as(1, URI, B256::repeat_byte(3), Address::ZERO);
    world.index().await;
    world.check().await;
    // K-21: all are duplicates; the count is bounded.
    assert_eq!(
        world.tool(5001).await.duplicates,
        atr_store::index::MAX_DUPLICATES
    );
}
