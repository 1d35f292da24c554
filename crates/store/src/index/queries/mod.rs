//! The queries, compiled once for each database. Both understand the same SQL; `super` has what differs.

mod apply;
mod codec;
mod projection_rows;
mod queue;
mod read;
mod rebuild;
mod registries;
mod usage;
mod verdict;

use alloy_primitives::{Address, B256};
use sqlx::{AssertSqlSafe, Database, Pool, QueryBuilder, Row as _};

use super::{Db, DbRow, SKIP_LOCKED, Store, begin, statement};
use crate::{
    Error,
    index::{
        AccessResult, Applied, Batch, Change, Claim, CursorKey, EventKind, IndexStatus, IndexStore,
        IndexerLock, Job, JobKind, ListQuery, NewRegistry, Page, Rebuild, RecordedUsage,
        RegistryKey, RegistryRecord, RegistryStatus, StoreFuture, StoredEvent, ToolDetail, ToolKey,
        ToolRecord, UsageEntry, UsageRecord, UsageStats, VerificationResult, schema,
    },
};
use codec::{Columns, id_bytes, int};

/// Whether the predicate of a tool is this one, or combines it.
macro_rules! uses_predicate {
    ($tool:literal, $predicate:literal) => {
        concat!(
            "(",
            $tool,
            ".predicate = ",
            $predicate,
            " OR EXISTS (SELECT 1 FROM predicate_terms p WHERE p.registry_id = ",
            $tool,
            ".registry_id AND p.tool_id = ",
            $tool,
            ".tool_id AND p.predicate = ",
            $predicate,
            "))"
        )
    };
}
use uses_predicate;

type Connection = <Db as Database>::Connection;

/// Rows of a statement with several rows. A few sizes, so that prepared statements are reused.
const CHUNKS: [usize; 5] = [256, 64, 16, 4, 1];

/// Splits rows into chunks of the sizes above.
fn chunks<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = CHUNKS.into_iter().find(|size| *size <= rows.len())?;
        let (chunk, rest) = rows.split_at(size);
        rows = rest;
        Some(chunk)
    })
}

/// Creates or updates the tables, and returns the key of cursors.
pub(super) async fn migrate(pool: &Pool<Db>) -> Result<CursorKey, Error> {
    let known = int(schema::MIGRATIONS.len() as u64);
    let mut transaction = begin(pool).await?;
    let connection = &mut *transaction;
    sqlx::query(AssertSqlSafe(statement(schema::META)))
        .execute(&mut *connection)
        .await?;
    let key = random_key()?;
    sqlx::query(
        "INSERT INTO index_meta (id, version, seq, last_block, cursor_key) VALUES (1, 0, 0, 0, $1) \
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(&key[..])
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query("SELECT version, cursor_key FROM index_meta")
        .fetch_one(&mut *connection)
        .await?;
    let mut columns = Columns::new(&row);
    let (version, key) = (columns.int()?, columns.array()?);
    if version > known {
        return Err(Error::NewerSchema {
            found: version,
            known,
        });
    }
    let applied = usize::try_from(version).unwrap_or_default();
    for template in schema::MIGRATIONS[applied..].iter().copied().flatten() {
        sqlx::query(AssertSqlSafe(statement(template)))
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("UPDATE index_meta SET version = $1")
        .bind(known)
        .execute(&mut *connection)
        .await?;
    transaction.commit().await?;
    Ok(CursorKey::new(key))
}

fn random_key() -> Result<[u8; 32], Error> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| Error::Corrupt {
        detail: format!("the system has no random numbers: {error}"),
    })?;
    Ok(key)
}

/// `column IN ($n, …)` for tool ids.
fn push_ids(query: &mut QueryBuilder<Db>, column: &str, ids: &[[u8; 32]]) {
    query.push(column).push(" IN (");
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(&id[..]);
    }
    query.push(")");
}

/// The number of a registry in this database.
async fn registry_id(connection: &mut Connection, key: RegistryKey) -> Result<Option<i64>, Error> {
    let row = sqlx::query("SELECT id FROM registries WHERE chain_id = $1 AND address = $2")
        .bind(int(key.chain_id))
        .bind(&key.address[..])
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Takes numbers of the change feed; returns the first. The transaction that took them commits before any that takes later ones.
async fn next_seq(connection: &mut Connection, count: usize) -> Result<i64, Error> {
    let count = int(count as u64);
    let row = sqlx::query("UPDATE index_meta SET seq = seq + $1 RETURNING seq")
        .bind(count)
        .fetch_one(connection)
        .await?;
    let last: i64 = row.try_get(0)?;
    Ok(last - count + 1)
}

impl Store {
    /// Seconds since 1970.
    fn now(&self) -> u64 {
        (self.clock)()
    }
}

impl IndexStore for Store {
    fn register<'a>(
        &'a self,
        registry: &'a NewRegistry,
        now: u64,
    ) -> StoreFuture<'a, RegistryRecord> {
        Box::pin(registries::register(self, registry, now))
    }

    fn registry(&self, key: RegistryKey) -> StoreFuture<'_, Option<RegistryRecord>> {
        Box::pin(registries::get(self, key))
    }

    fn set_status<'a>(
        &'a self,
        key: RegistryKey,
        status: RegistryStatus,
        reason: Option<&'a str>,
        head: Option<u64>,
        now: u64,
    ) -> StoreFuture<'a, ()> {
        Box::pin(registries::set_status(self, key, status, reason, head, now))
    }

    fn apply<'a>(&'a self, batch: &'a Batch) -> StoreFuture<'a, Applied> {
        Box::pin(apply::apply(self, batch))
    }

    fn rebuild(&self, repair: bool, now: u64) -> StoreFuture<'_, Rebuild> {
        Box::pin(rebuild::rebuild(self, repair, now))
    }

    fn predicates_in_use(
        &self,
        registry: RegistryKey,
        limit: u32,
    ) -> StoreFuture<'_, Vec<Address>> {
        Box::pin(registries::predicates_in_use(self, registry, limit))
    }

    fn tool(&self, key: ToolKey) -> StoreFuture<'_, Option<ToolRecord>> {
        Box::pin(read::tool(self, key))
    }

    fn tools<'a>(&'a self, keys: &'a [ToolKey]) -> StoreFuture<'a, Vec<Option<ToolRecord>>> {
        Box::pin(read::tools(self, keys))
    }

    fn detail(&self, key: ToolKey) -> StoreFuture<'_, Option<ToolDetail>> {
        Box::pin(read::detail(self, key))
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> StoreFuture<'a, Page<ToolRecord>> {
        Box::pin(read::list(self, query))
    }

    fn duplicates(&self, key: ToolKey) -> StoreFuture<'_, Vec<ToolKey>> {
        Box::pin(read::duplicates(self, key))
    }

    fn history(&self, key: ToolKey) -> StoreFuture<'_, Vec<StoredEvent>> {
        Box::pin(read::history(self, key, EventKind::Configured))
    }

    fn registry_history(&self, key: ToolKey) -> StoreFuture<'_, Vec<StoredEvent>> {
        Box::pin(read::history(self, key, EventKind::Deregistered))
    }

    fn changes_since(&self, seq: u64, limit: u32) -> StoreFuture<'_, Vec<Change>> {
        Box::pin(read::changes_since(self, seq, limit))
    }

    fn last_seq(&self) -> StoreFuture<'_, u64> {
        Box::pin(read::last_seq(self))
    }

    fn seq_at(&self, time: u64) -> StoreFuture<'_, u64> {
        Box::pin(read::seq_at(self, time))
    }

    fn manifest(&self, hash: B256) -> StoreFuture<'_, Option<Vec<u8>>> {
        Box::pin(read::manifest(self, hash))
    }

    fn status(&self, now: u64) -> StoreFuture<'_, IndexStatus> {
        Box::pin(registries::status(self, now))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> StoreFuture<'a, Vec<Job>> {
        Box::pin(queue::claim(self, claim))
    }

    fn release(&self, key: ToolKey, kind: JobKind, next_at: u64) -> StoreFuture<'_, ()> {
        Box::pin(queue::release(self, key, kind, next_at))
    }

    fn request_verification(&self, key: ToolKey, now: u64) -> StoreFuture<'_, bool> {
        Box::pin(queue::request_verification(self, key, now))
    }

    fn store_verification<'a>(&'a self, result: &'a VerificationResult) -> StoreFuture<'a, bool> {
        Box::pin(queue::store_verification(self, result))
    }

    fn store_access<'a>(&'a self, result: &'a AccessResult) -> StoreFuture<'a, bool> {
        Box::pin(queue::store_access(self, result))
    }

    fn request_evaluation<'a>(
        &'a self,
        registry: RegistryKey,
        predicates: &'a [Address],
    ) -> StoreFuture<'a, ()> {
        Box::pin(queue::request_evaluation(self, registry, predicates))
    }

    fn upgraded_at(
        &self,
        registry: RegistryKey,
        predicate: Address,
    ) -> StoreFuture<'_, Option<u64>> {
        Box::pin(registries::upgraded_at(self, registry, predicate))
    }

    fn record_usage<'a>(
        &'a self,
        record: &'a UsageRecord,
        now: u64,
    ) -> StoreFuture<'a, RecordedUsage> {
        Box::pin(usage::record(self, record, now))
    }

    fn activity(&self, key: ToolKey, limit: u32, offset: u32) -> StoreFuture<'_, Vec<UsageEntry>> {
        Box::pin(usage::activity(self, key, limit, offset))
    }

    fn usage_stats(&self, key: ToolKey) -> StoreFuture<'_, UsageStats> {
        Box::pin(usage::stats(self, key))
    }

    fn try_lock(&self) -> StoreFuture<'_, Option<Box<dyn IndexerLock>>> {
        Box::pin(self.lock())
    }

    fn cursor_key(&self) -> &CursorKey {
        &self.cursor_key
    }
}
