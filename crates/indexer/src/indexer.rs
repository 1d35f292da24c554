//! Runs the followers and the queue.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use atr_fetch::SafeHttpClient;
use atr_registry::Registry;
use atr_store::index::{IndexStore, IndexerLock, RegistryKey};
use tokio::{sync::watch, task::JoinSet, time::sleep};

use crate::{Error, IndexerOptions, Observer, Report, follow, missing::MissingEvents, worker};

/// Time between two tries to get the lock, and between two looks whether it is still held.
const LOCK_INTERVAL: Duration = Duration::from_secs(1);

/// A registry to index.
#[derive(Clone, Debug)]
pub struct IndexedRegistry {
    /// The contract and the node connection.
    pub registry: Registry,
    /// Name for display.
    pub name: String,
    /// Whether the configuration names it as the canonical registry of its chain. Others are shown as unknown (K-05).
    pub is_canonical: bool,
    /// First block to read, at or before the deployment.
    pub first_block: u64,
}

impl IndexedRegistry {
    pub(crate) const fn key(&self) -> RegistryKey {
        RegistryKey {
            chain_id: self.registry.chain_id(),
            address: self.registry.address(),
        }
    }
}

/// Indexes registries into a store: follows their events and verifies their tools. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Indexer {
    pub(crate) store: Arc<dyn IndexStore>,
    pub(crate) registries: Arc<[IndexedRegistry]>,
    pub(crate) http: SafeHttpClient,
    pub(crate) options: Arc<IndexerOptions>,
    pub(crate) observer: Observer,
    clock: fn() -> u64,
    /// Counts evaluations that found new predicates to follow.
    new_terms: Arc<AtomicU64>,
    pub(crate) missing: MissingEvents,
}

/// Tells tasks to stop.
pub(crate) type Stop = watch::Receiver<bool>;

impl Indexer {
    /// `http` fetches manifests: give it [`atr_fetch::Limits::MANIFEST`]. `clock` returns seconds since 1970.
    #[must_use]
    pub fn new(
        store: Arc<dyn IndexStore>,
        registries: Vec<IndexedRegistry>,
        http: SafeHttpClient,
        options: IndexerOptions,
        clock: fn() -> u64,
    ) -> Self {
        Self {
            store,
            registries: registries.into(),
            http,
            options: Arc::new(options),
            observer: Observer::default(),
            clock,
            new_terms: Arc::default(),
            missing: MissingEvents::default(),
        }
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Tells the followers that there are new predicates to follow.
    pub(crate) fn terms_changed(&self) {
        self.new_terms.fetch_add(1, Ordering::Relaxed);
    }

    /// How often [`Self::terms_changed`] was called.
    pub(crate) fn terms_version(&self) -> u64 {
        self.new_terms.load(Ordering::Relaxed)
    }

    /// Reports to an observer.
    #[must_use]
    pub fn with_observer(self, observer: Observer) -> Self {
        Self { observer, ..self }
    }

    /// Indexes until `shutdown` completes. Waits while another process holds the lock of the database, and takes over when that
    /// process dies. A registry that cannot be indexed further is marked as halted; the others continue.
    ///
    /// # Errors
    ///
    /// If the database fails permanently.
    pub async fn run(&self, shutdown: impl Future<Output = ()> + Send) -> Result<(), Error> {
        tokio::pin!(shutdown);
        loop {
            let Some(lock) = self.lock_or_stop(&mut shutdown).await? else {
                return Ok(());
            };
            // All tasks end when the lock is lost: another process may index.
            let lost = lock_lost(lock);
            let (sender, stop) = watch::channel(false);
            let mut tasks = self.spawn(&stop, false);
            let is_shutdown = tokio::select! {
                () = &mut shutdown => true,
                () = lost => false,
                Some(ended) = tasks.join_next() => {
                    // Followers end only on shutdown or by a permanent error.
                    if let Ok(Err(error)) = ended {
                        return Err(error);
                    }
                    false
                }
            };
            let _ = sender.send(true);
            while tasks.join_next().await.is_some() {}
            if is_shutdown {
                return Ok(());
            }
        }
    }

    /// Indexes up to the heads of the chains, and verifies what is due.
    ///
    /// # Errors
    ///
    /// If another process indexes, a node cannot be reached, a registry cannot be indexed further, or the database fails.
    pub async fn run_once(&self) -> Result<(), Error> {
        let _lock = self.store.try_lock().await?.ok_or(Error::Locked)?;
        let (_sender, stop) = watch::channel(false);
        loop {
            let mut tasks = JoinSet::new();
            for registry in self.registries.iter().cloned() {
                tasks.spawn(follow::once(self.clone(), registry, stop.clone()));
            }
            while let Some(ended) = tasks.join_next().await {
                if let Ok(ended) = ended {
                    ended?;
                }
            }
            if self.options.verification.is_some() {
                worker::run(self.clone(), stop.clone(), true).await?;
            }
            // A verification can find that events are missing.
            if !self.missing.is_waiting() {
                return Ok(());
            }
        }
    }

    fn spawn(&self, stop: &Stop, once: bool) -> JoinSet<Result<(), Error>> {
        let mut tasks = JoinSet::new();
        for registry in self.registries.iter().cloned() {
            tasks.spawn(follow::forever(self.clone(), registry, stop.clone()));
        }
        if self.options.verification.is_some() {
            tasks.spawn(worker::run(self.clone(), stop.clone(), once));
        }
        tasks
    }

    async fn lock_or_stop(
        &self,
        shutdown: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<Option<Box<dyn IndexerLock>>, Error> {
        let mut is_reported = false;
        loop {
            match self.store.try_lock().await {
                Ok(Some(lock)) => return Ok(Some(lock)),
                Ok(None) if !is_reported => {
                    is_reported = true;
                    self.observer.report(&Report::Waiting);
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "cannot take the lock of the database"),
            }
            tokio::select! {
                () = &mut *shutdown => return Ok(None),
                () = sleep(LOCK_INTERVAL) => {}
            }
        }
    }
}

/// Completes when the lock is no longer held.
async fn lock_lost(mut lock: Box<dyn IndexerLock>) {
    loop {
        sleep(LOCK_INTERVAL).await;
        if !matches!(lock.is_held().await, Ok(true)) {
            tracing::warn!("the lock of the database was lost");
            return;
        }
    }
}

/// Waits, and returns whether to go on.
pub(crate) async fn pause(stop: &mut Stop, time: Duration) -> bool {
    tokio::select! {
        () = sleep(time) => true,
        _ = stop.wait_for(|stop| *stop) => false,
    }
}
