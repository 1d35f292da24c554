//! The index: events of registries, the tools they define, verification results, and a change feed.
//!
//! Events are append-only. A reorg marks blocks as not canonical and deletes nothing. The tools are a projection of the canonical
//! events: [`IndexStore::rebuild`] recomputes and compares them.

mod cursor;
#[cfg(feature = "postgres")]
mod postgres;
mod projection;
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
mod types;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use alloy_primitives::{Address, B256};

pub use cursor::CursorKey;
#[cfg(feature = "postgres")]
pub use postgres::PostgresIndex;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteIndex;
pub use types::*;

use crate::Error;

/// Returns seconds since 1970.
pub type Clock = fn() -> u64;

/// A boxed future, so that the store can be a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Result of a store operation.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// The database of the index. SQLite and PostgreSQL behave the same; one suite tests both.
///
/// A verdict counts only for the tool's present URI, hash and creator, and only while it is fresh: [`ToolRecord::status`] is the status at
/// the time of the read.
///
/// Every write is one transaction. A write that failed changed nothing; after a lost connection it may have happened, and can be
/// repeated.
pub trait IndexStore: fmt::Debug + Send + Sync {
    // Registries.

    /// Adds a registry, or returns the stored record if it exists. The stored code hash and first block never change.
    fn register<'a>(
        &'a self,
        registry: &'a NewRegistry,
        now: u64,
    ) -> StoreFuture<'a, RegistryRecord>;

    /// The record of a registry.
    fn registry(&self, key: RegistryKey) -> StoreFuture<'_, Option<RegistryRecord>>;

    /// Sets the status of a registry, without a batch. `head`: the latest block of the node, if it was read.
    fn set_status<'a>(
        &'a self,
        key: RegistryKey,
        status: RegistryStatus,
        reason: Option<&'a str>,
        head: Option<u64>,
        now: u64,
    ) -> StoreFuture<'a, ()>;

    /// Applies a batch: rewind, events, projection, changes and checkpoint, in one transaction.
    fn apply<'a>(&'a self, batch: &'a Batch) -> StoreFuture<'a, Applied>;

    /// Recomputes the projection from the canonical events and compares it with the stored one. With `repair`, differing tools are
    /// corrected.
    fn rebuild(&self, repair: bool, now: u64) -> StoreFuture<'_, Rebuild>;

    /// Predicates of live tools of a registry, and the predicates that these combine; most used first.
    fn predicates_in_use(&self, registry: RegistryKey, limit: u32)
    -> StoreFuture<'_, Vec<Address>>;

    // Reads.

    /// A tool that is live or deregistered.
    fn tool(&self, key: ToolKey) -> StoreFuture<'_, Option<ToolRecord>>;

    /// Tools in the order of the keys; `None` for tools that do not exist or were undone. At most [`MAX_PAGE`] keys.
    fn tools<'a>(&'a self, keys: &'a [ToolKey]) -> StoreFuture<'a, Vec<Option<ToolRecord>>>;

    /// A tool with everything the index knows.
    fn detail(&self, key: ToolKey) -> StoreFuture<'_, Option<ToolDetail>>;

    /// Tools by filter, by time of registration.
    fn list<'a>(&'a self, query: &'a ListQuery) -> StoreFuture<'a, Page<ToolRecord>>;

    /// Other live tools with the same `metadataURI`, oldest first, at most [`MAX_DUPLICATES`] (K-21, T-53).
    fn duplicates(&self, key: ToolKey) -> StoreFuture<'_, Vec<ToolKey>>;

    /// Canonical events of a tool, oldest first, at most [`MAX_PAGE`]: the newest ones. Configurations only by its present predicate and those that
    /// it combines: any contract can emit such an event.
    fn history(&self, key: ToolKey) -> StoreFuture<'_, Vec<StoredEvent>>;

    /// As [`Self::history`], without configurations.
    fn registry_history(&self, key: ToolKey) -> StoreFuture<'_, Vec<StoredEvent>>;

    /// The tools that changed after a sequence number, by ascending number, undone and deregistered ones included.
    fn changes_since(&self, seq: u64, limit: u32) -> StoreFuture<'_, Vec<Change>>;

    /// The highest sequence number.
    fn last_seq(&self) -> StoreFuture<'_, u64>;

    /// The first sequence number of a change at or after a time: where `updated_since` starts.
    fn seq_at(&self, time: u64) -> StoreFuture<'_, u64>;

    /// Bytes of a manifest by its canonical hash.
    fn manifest(&self, hash: B256) -> StoreFuture<'_, Option<Vec<u8>>>;

    /// State of the index.
    fn status(&self, now: u64) -> StoreFuture<'_, IndexStatus>;

    // Queue.

    /// Leases due jobs, the longest due first. A job whose lease expired is due again.
    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> StoreFuture<'a, Vec<Job>>;

    /// Gives a leased job back, due at `next_at`.
    fn release(&self, key: ToolKey, kind: JobKind, next_at: u64) -> StoreFuture<'_, ()>;

    /// Makes a verification due now, after those that are due already. Returns whether the tool is live.
    fn request_verification(&self, key: ToolKey, now: u64) -> StoreFuture<'_, bool>;

    /// Stores a verification, if it is the tool's: its URI, manifest hash and creator are still the verified ones. Returns whether.
    fn store_verification<'a>(&'a self, result: &'a VerificationResult) -> StoreFuture<'a, bool>;

    /// Stores an evaluation. The tool shows it if its predicate is still the evaluated one. Returns whether the predicate combines
    /// others that the last evaluation did not have.
    fn store_access<'a>(&'a self, result: &'a AccessResult) -> StoreFuture<'a, bool>;

    /// Makes evaluations due of the tools whose predicate is, or combines, one of these.
    fn request_evaluation<'a>(
        &'a self,
        registry: RegistryKey,
        predicates: &'a [Address],
    ) -> StoreFuture<'a, ()>;

    /// Block time of the last canonical `Upgraded` event of a predicate.
    fn upgraded_at(
        &self,
        registry: RegistryKey,
        predicate: Address,
    ) -> StoreFuture<'_, Option<u64>>;

    // Usage.

    /// Records a verified use, once. Only payments change `usage_count` of the tool.
    fn record_usage<'a>(
        &'a self,
        record: &'a UsageRecord,
        now: u64,
    ) -> StoreFuture<'a, RecordedUsage>;

    /// Uses of a tool, newest first.
    fn activity(&self, key: ToolKey, limit: u32, offset: u32) -> StoreFuture<'_, Vec<UsageEntry>>;

    /// Totals of a tool's usage.
    fn usage_stats(&self, key: ToolKey) -> StoreFuture<'_, UsageStats>;

    // Coordination.

    /// Tries to become the one indexer of this database. The lock is free again when the guard is dropped or the process dies.
    /// `None` if another process has it.
    fn try_lock(&self) -> StoreFuture<'_, Option<Box<dyn IndexerLock>>>;

    /// Signs cursors. The key is random per database, and shared by all processes that use it.
    fn cursor_key(&self) -> &CursorKey;
}

/// Held by the process that indexes.
pub trait IndexerLock: fmt::Debug + Send + Sync {
    /// Whether the lock is still held: `false` or an error after a lost connection.
    fn is_held(&mut self) -> StoreFuture<'_, bool>;
}

/// Opens the database of a URL and applies migrations: `postgres://…`, or the path of an SQLite file, with or without `sqlite:`. `clock`
/// returns seconds since 1970.
///
/// # Errors
///
/// If the database cannot be opened, belongs to a newer version of this program, or this build has no support for it.
pub async fn open(url: &str, clock: Clock) -> Result<Arc<dyn IndexStore>, Error> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        #[cfg(feature = "postgres")]
        return Ok(Arc::new(PostgresIndex::connect(url, clock).await?));
        #[cfg(not(feature = "postgres"))]
        return Err(Error::Unsupported {
            database: "PostgreSQL",
        });
    }
    #[cfg(feature = "sqlite")]
    {
        let path = url.strip_prefix("sqlite:").unwrap_or(url);
        let path = path.strip_prefix("//").unwrap_or(path);
        Ok(Arc::new(SqliteIndex::open(path.as_ref(), clock).await?))
    }
    #[cfg(not(feature = "sqlite"))]
    Err(Error::Unsupported { database: "SQLite" })
}
