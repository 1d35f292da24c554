//! Reservations of payments: who may work on a payment, and what was done before.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use alloy_primitives::B256;
use atr_auth::ReplayKey;

use super::{
    MemoryStore, ReplayStore, StoreError,
    record::{Record, State},
};
use crate::Clock;

/// A process that has not renewed its entry for this long is dead.
const LIFETIME_SECONDS: u64 = 15;

/// How often a process renews its entry while it works on payments.
const RENEWAL: Duration = Duration::from_secs(5);

/// How often expired entries are removed.
const SWEEP_SECONDS: u64 = 60;

/// Records of payments, shared by all gates of a process. A gate that replaces another must share them too: they know which
/// payments are being worked on.
#[derive(Clone, Debug)]
pub struct PaymentRecords(pub(crate) Arc<Reservations>);

impl PaymentRecords {
    /// Records in a store, which other processes may share.
    #[must_use]
    pub fn new(store: Arc<dyn ReplayStore>, clock: Clock) -> Self {
        Self(Reservations::new(store, clock))
    }

    /// Records that end with the process.
    #[must_use]
    pub fn in_memory(clock: Clock) -> Self {
        Self::new(Arc::new(MemoryStore::default()), clock)
    }

    /// Whether the records survive the process.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.0.store.is_durable()
    }
}

/// Payments that are being worked on, here and in other processes that share the store.
#[derive(Debug)]
pub(crate) struct Reservations {
    store: Arc<dyn ReplayStore>,
    clock: Clock,
    /// Identifies this process.
    instance: B256,
    /// Payments that this process works on, with the hash of the request.
    active: Mutex<HashMap<String, B256>>,
    is_renewing: AtomicBool,
    next_sweep: AtomicU64,
}

/// A payment that this task alone works on. Others may, when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    owner: Arc<Reservations>,
    key: String,
    expires: u64,
    /// Version in the store; `None` if nothing is stored yet.
    version: Option<u64>,
    request: B256,
}

/// What is known about a payment.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing was done yet.
    New(Reservation),
    /// The same request got this far before, and nobody works on it.
    Before(Reservation, State),
    /// Somebody works on the same request.
    InProgress,
    /// The payment is for another request.
    OtherRequest,
}

impl Reservations {
    pub(crate) fn new(store: Arc<dyn ReplayStore>, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            instance: B256::random(),
            active: Mutex::default(),
            is_renewing: AtomicBool::new(false),
            next_sweep: AtomicU64::new(0),
        })
    }

    /// Looks up a payment and claims it for this task. Nothing is stored for a new payment.
    pub(crate) async fn find(
        self: &Arc<Self>,
        key: &ReplayKey,
        expires: u64,
        request: B256,
    ) -> Result<Found, StoreError> {
        let key = text(key);
        {
            let mut active = self.active();
            match active.get(&key) {
                Some(other) if *other == request => return Ok(Found::InProgress),
                Some(_) => return Ok(Found::OtherRequest),
                None => active.insert(key.clone(), request),
            };
        }
        // From here on, dropping it ends the claim.
        let mut reservation = Reservation {
            owner: self.clone(),
            key,
            expires,
            version: None,
            request,
        };
        self.sweep().await;
        let Some(stored) = self.store.get(&reservation.key).await? else {
            return Ok(Found::New(reservation));
        };
        let record: Record = serde_json::from_slice(&stored.value).map_err(StoreError::new)?;
        if record.request != request {
            return Ok(Found::OtherRequest);
        }
        let is_settled = matches!(record.state, State::Settled { .. });
        if !is_settled && record.owner != self.instance && self.is_alive(record.owner).await? {
            return Ok(Found::InProgress);
        }
        reservation.version = Some(stored.version);
        Ok(Found::Before(reservation, record.state))
    }

    async fn is_alive(&self, instance: B256) -> Result<bool, StoreError> {
        let entry = self.store.get(&instance_key(instance)).await?;
        Ok(entry.is_some_and(|entry| entry.expires > self.clock.now()))
    }

    /// Renews the lease of this process, now and while it works on payments.
    async fn announce(self: &Arc<Self>) -> Result<(), StoreError> {
        if !self.store.is_durable() || self.is_renewing.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        if let Err(error) = self.renew().await {
            self.is_renewing.store(false, Ordering::SeqCst);
            return Err(error);
        }
        let reservations = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEWAL).await;
                let Some(reservations) = reservations.upgrade() else {
                    return;
                };
                if reservations.active().is_empty() {
                    reservations.is_renewing.store(false, Ordering::SeqCst);
                    // A payment may have become active in between, and relied on this task.
                    let is_idle = reservations.active().is_empty();
                    if is_idle || reservations.is_renewing.swap(true, Ordering::SeqCst) {
                        return;
                    }
                }
                if let Err(error) = reservations.renew().await {
                    tracing::warn!(%error, "cannot renew the entry of this process");
                }
            }
        });
        Ok(())
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let key = instance_key(self.instance);
        let expires = self.clock.now().saturating_add(LIFETIME_SECONDS);
        let version = self.store.get(&key).await?.map(|entry| entry.version);
        let value = b"{}".to_vec();
        let written = self.store.compare_and_set(&key, version, value, expires);
        written.await.map(drop)
    }

    /// Removes expired entries now and then.
    async fn sweep(&self) {
        let now = self.clock.now();
        let next = self.next_sweep.load(Ordering::Relaxed);
        let after = now.saturating_add(SWEEP_SECONDS);
        let exchange =
            self.next_sweep
                .compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed);
        if now >= next
            && exchange.is_ok()
            && let Err(error) = self.store.remove_expired(now).await
        {
            tracing::warn!(%error, "cannot remove expired payments");
        }
    }

    fn active(&self) -> MutexGuard<'_, HashMap<String, B256>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// Records how far the payment got. Returns false if another process has taken the payment over.
    pub(crate) async fn record(&mut self, state: State) -> Result<bool, StoreError> {
        self.owner.announce().await?;
        let record = Record {
            request: self.request,
            owner: self.owner.instance,
            state,
        };
        let value = serde_json::to_vec(&record).map_err(StoreError::new)?;
        let store = &self.owner.store;
        let written = store.compare_and_set(&self.key, self.version, value, self.expires);
        let version = written.await?;
        if version.is_some() {
            self.version = version;
        }
        Ok(version.is_some())
    }

    /// Forgets the payment: nothing happened.
    pub(crate) async fn release(self) -> Result<(), StoreError> {
        if let Some(version) = self.version {
            self.owner.store.remove(&self.key, version).await?;
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.owner.active().remove(&self.key);
    }
}

fn text(key: &ReplayKey) -> String {
    let ReplayKey {
        chain_id,
        asset,
        from,
        nonce,
    } = key;
    format!("payment/{chain_id}/{asset:#x}/{from:#x}/{nonce}")
}

fn instance_key(instance: B256) -> String {
    format!("instance/{instance}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use alloy_primitives::Address;

    use super::{
        super::{StoreFuture, Stored},
        *,
    };

    /// A memory store that other processes could share.
    #[derive(Debug, Default)]
    struct SharedStore(MemoryStore);

    impl ReplayStore for SharedStore {
        fn is_durable(&self) -> bool {
            true
        }

        fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Stored>> {
            self.0.get(key)
        }

        fn compare_and_set<'a>(
            &'a self,
            key: &'a str,
            expected: Option<u64>,
            value: Vec<u8>,
            expires: u64,
        ) -> StoreFuture<'a, Option<u64>> {
            self.0.compare_and_set(key, expected, value, expires)
        }

        fn remove<'a>(&'a self, key: &'a str, expected: u64) -> StoreFuture<'a, bool> {
            self.0.remove(key, expected)
        }

        fn remove_expired(&self, now: u64) -> StoreFuture<'_, ()> {
            self.0.remove_expired(now)
        }
    }

    const KEY: ReplayKey = ReplayKey {
        chain_id: 8453,
        asset: Address::repeat_byte(1),
        from: Address::repeat_byte(2),
        nonce: B256::repeat_byte(3),
    };
    const REQUEST: B256 = B256::repeat_byte(4);

    struct World {
        now: Arc<AtomicU64>,
        first: Arc<Reservations>,
        second: Arc<Reservations>,
    }

    /// Two processes that share a store.
    fn world() -> World {
        let store: Arc<dyn ReplayStore> = Arc::new(SharedStore::default());
        let now = Arc::new(AtomicU64::new(1000));
        let process = || {
            let now = now.clone();
            let clock = Clock::new(move || now.load(Ordering::SeqCst));
            Reservations::new(store.clone(), clock)
        };
        World {
            first: process(),
            second: process(),
            now: now.clone(),
        }
    }

    async fn find(reservations: &Arc<Reservations>, request: B256) -> Found {
        reservations.find(&KEY, 2000, request).await.unwrap()
    }

    fn new(found: Found) -> Reservation {
        match found {
            Found::New(reservation) => reservation,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn one_task_works_on_a_payment() {
        let world = world();
        let mut reservation = new(find(&world.first, REQUEST).await);
        // In the same process even before anything is stored.
        assert!(matches!(
            find(&world.first, REQUEST).await,
            Found::InProgress
        ));
        let other = B256::repeat_byte(9);
        assert!(matches!(
            find(&world.first, other).await,
            Found::OtherRequest
        ));
        assert!(reservation.record(State::Reserved).await.unwrap());
        assert!(matches!(
            find(&world.second, REQUEST).await,
            Found::InProgress
        ));
        assert!(matches!(
            find(&world.second, other).await,
            Found::OtherRequest
        ));
        reservation.release().await.unwrap();
        new(find(&world.second, REQUEST).await);
    }

    #[tokio::test]
    async fn two_processes_that_start_together_do_not_both_win() {
        let world = world();
        let mut first = new(find(&world.first, REQUEST).await);
        let mut second = new(find(&world.second, REQUEST).await);
        assert!(first.record(State::Reserved).await.unwrap());
        assert!(!second.record(State::Reserved).await.unwrap());
    }

    #[tokio::test]
    async fn the_payment_of_a_dead_process_is_taken_over() {
        let world = world();
        let mut reservation = new(find(&world.first, REQUEST).await);
        let settling = State::Settling { response: None };
        assert!(reservation.record(settling.clone()).await.unwrap());
        world
            .now
            .store(1000 + LIFETIME_SECONDS - 1, Ordering::SeqCst);
        assert!(matches!(
            find(&world.second, REQUEST).await,
            Found::InProgress
        ));
        world.now.store(1000 + LIFETIME_SECONDS, Ordering::SeqCst);
        let Found::Before(mut taken, state) = find(&world.second, REQUEST).await else {
            panic!("taken over");
        };
        assert_eq!(state, settling);
        assert!(taken.record(State::Reserved).await.unwrap());
        // The first process was only slow: it notices.
        assert!(!reservation.record(settling).await.unwrap());
    }

    #[tokio::test]
    async fn a_settled_payment_is_known_to_every_process() {
        let world = world();
        let settled = State::Settled {
            transaction: Some(B256::repeat_byte(7)),
            response: None,
            is_delivered: true,
        };
        let mut reservation = new(find(&world.first, REQUEST).await);
        assert!(reservation.record(settled.clone()).await.unwrap());
        drop(reservation);
        for process in [&world.first, &world.second] {
            let Found::Before(_, state) = find(process, REQUEST).await else {
                panic!("known");
            };
            assert_eq!(state, settled);
        }
        // The entry is removed when it has expired.
        world.now.store(2000, Ordering::SeqCst);
        new(find(&world.second, REQUEST).await);
    }
}
