//! Registries and the state of the index.

use alloy_primitives::Address;
use sqlx::Row as _;

use super::{Columns, DbRow, Store, int, registry_id};
use crate::{
    Error,
    index::{
        Block, EventKind, IndexStatus, NewRegistry, RegistryKey, RegistryRecord, RegistryStatus,
        VerificationStatus,
    },
};

/// A query for [`record`].
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT chain_id, address, name, is_canonical, first_block, code_hash, proxy_indicators, version, checkpoint, \
             tip_number, tip_hash, tip_time, head, status, reason, updated_at, tools FROM registries ",
            $rest
        )
    };
}

fn record(row: &DbRow) -> Result<RegistryRecord, Error> {
    let mut columns = Columns::new(row);
    Ok(RegistryRecord {
        key: RegistryKey {
            chain_id: columns.number()?,
            address: columns.address()?,
        },
        name: columns.text()?,
        is_canonical: columns.flag()?,
        first_block: columns.number()?,
        code_hash: columns.hash()?,
        proxy_indicators: columns.text()?,
        version: columns.number()?,
        checkpoint: columns.optional_text()?,
        tip: {
            let tip = (
                columns.optional_number()?,
                columns.optional_hash()?,
                columns.optional_number()?,
            );
            match tip {
                (Some(number), Some(hash), Some(time)) => Some(Block { number, hash, time }),
                _ => None,
            }
        },
        head: columns.number()?,
        status: columns.code(RegistryStatus::from_code)?,
        reason: columns.optional_text()?,
        updated_at: columns.number()?,
        tools: columns.number()?,
    })
}

pub(super) async fn register(
    store: &Store,
    registry: &NewRegistry,
    now: u64,
) -> Result<RegistryRecord, Error> {
    let mut transaction = store.begin().await?;
    // Name and label follow the configuration; the pinned code hash does not change.
    sqlx::query(
        "INSERT INTO registries (chain_id, address, name, is_canonical, first_block, code_hash, proxy_indicators, version, \
         head, status, updated_at, tools) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, $9, 0) \
         ON CONFLICT (chain_id, address) DO UPDATE SET name = excluded.name, is_canonical = excluded.is_canonical, \
         proxy_indicators = excluded.proxy_indicators",
    )
    .bind(int(registry.key.chain_id))
    .bind(&registry.key.address[..])
    .bind(registry.name.as_bytes())
    .bind(i64::from(registry.is_canonical))
    .bind(int(registry.first_block))
    .bind(&registry.code_hash[..])
    .bind(registry.proxy_indicators.as_bytes())
    .bind(RegistryStatus::Backfilling.code())
    .bind(int(now))
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    get(store, registry.key)
        .await?
        .ok_or(Error::UnknownRegistry)
}

pub(super) async fn get(store: &Store, key: RegistryKey) -> Result<Option<RegistryRecord>, Error> {
    let row = sqlx::query(select!("WHERE chain_id = $1 AND address = $2"))
        .bind(int(key.chain_id))
        .bind(&key.address[..])
        .fetch_optional(store.readers())
        .await?;
    row.as_ref().map(record).transpose()
}

pub(super) async fn set_status(
    store: &Store,
    key: RegistryKey,
    status: RegistryStatus,
    reason: Option<&str>,
    head: Option<u64>,
    now: u64,
) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    let updated = sqlx::query(
        "UPDATE registries SET status = $1, reason = $2, head = COALESCE($3, head), updated_at = $4 \
         WHERE chain_id = $5 AND address = $6",
    )
    .bind(status.code())
    .bind(reason.map(str::as_bytes))
    .bind(head.map(int))
    .bind(int(now))
    .bind(int(key.chain_id))
    .bind(&key.address[..])
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    if updated.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Error::UnknownRegistry)
    }
}

pub(super) async fn predicates_in_use(
    store: &Store,
    key: RegistryKey,
    limit: u32,
) -> Result<Vec<Address>, Error> {
    let rows = sqlx::query(
        "SELECT predicate FROM ( \
         SELECT t.predicate AS predicate FROM tools t JOIN registries r ON r.id = t.registry_id \
         WHERE t.predicate IS NOT NULL AND t.state = 0 AND r.chain_id = $1 AND r.address = $2 UNION ALL \
         SELECT p.predicate FROM predicate_terms p JOIN registries r ON r.id = p.registry_id \
         JOIN tools t ON t.registry_id = p.registry_id AND t.tool_id = p.tool_id \
         WHERE t.state = 0 AND r.chain_id = $1 AND r.address = $2) used \
         GROUP BY predicate ORDER BY count(*) DESC, predicate LIMIT $3",
    )
    .bind(int(key.chain_id))
    .bind(&key.address[..])
    .bind(i64::from(limit))
    .fetch_all(store.readers())
    .await?;
    rows.iter().map(|row| Columns::new(row).address()).collect()
}

pub(super) async fn upgraded_at(
    store: &Store,
    key: RegistryKey,
    predicate: Address,
) -> Result<Option<u64>, Error> {
    let mut connection = store.readers().acquire().await?;
    let Some(registry) = registry_id(&mut connection, key).await? else {
        return Ok(None);
    };
    let row = sqlx::query(
        "SELECT max(b.time) FROM events e JOIN blocks b ON b.id = e.block_id \
         WHERE e.registry_id = $1 AND e.address = $2 AND e.kind = $3 AND b.canonical = 1",
    )
    .bind(registry)
    .bind(&predicate[..])
    .bind(EventKind::Upgraded.code())
    .fetch_one(&mut *connection)
    .await?;
    Columns::new(&row).optional_number()
}

pub(super) async fn status(store: &Store, now: u64) -> Result<IndexStatus, Error> {
    let mut snapshot = store.snapshot().await?;
    let connection = &mut *snapshot;
    let rows = sqlx::query(select!("ORDER BY id"))
        .fetch_all(&mut *connection)
        .await?;
    let registries = rows.iter().map(record).collect::<Result<_, _>>()?;
    let row = sqlx::query("SELECT seq FROM index_meta")
        .fetch_one(&mut *connection)
        .await?;
    let seq = Columns::new(&row).number()?;
    let mut by_status = [0; 4];
    let rows = sqlx::query(
        "SELECT CASE WHEN t.status = 1 AND (t.fresh_until < $1 OR r.status = 3) THEN 3 ELSE t.status END, count(*) \
         FROM tools t JOIN registries r ON r.id = t.registry_id WHERE t.state = 0 GROUP BY 1",
    )
    .bind(int(now))
        .fetch_all(&mut *connection)
        .await?;
    for row in &rows {
        let mut columns = Columns::new(row);
        let status = columns.code(VerificationStatus::from_code)?;
        by_status[usize::try_from(status.code()).unwrap_or_default()] = columns.number()?;
    }
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM tools WHERE state = 0 AND status IN (0, 1, 2, 3) AND next_at <= $1) \
         + (SELECT count(*) FROM tools WHERE access_at IS NOT NULL AND access_at <= $1 AND state = 0)",
    )
    .bind(int(now))
    .fetch_one(&mut *connection)
    .await?;
    let due_jobs: i64 = row.try_get(0)?;
    Ok(IndexStatus {
        registries,
        seq,
        by_status,
        due_jobs: due_jobs.try_into().unwrap_or_default(),
    })
}
