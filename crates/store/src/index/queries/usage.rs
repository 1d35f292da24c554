//! Verified uses of tools.

use alloy_primitives::U256;
use sqlx::Row as _;

use super::{Columns, Connection, Store, id_bytes, int, next_seq, registry_id};
use crate::{
    Error,
    index::{ChangeKind, RecordedUsage, ToolKey, UsageEntry, UsageRecord, UsageStats},
};

pub(super) async fn record(
    store: &Store,
    record: &UsageRecord,
    now: u64,
) -> Result<RecordedUsage, Error> {
    let mut transaction = store.begin().await?;
    let registry = registry_id(&mut transaction, record.key.registry)
        .await?
        .ok_or(Error::UnknownRegistry)?;
    let (asset, amount) = record.payment.unzip();
    let id = id_bytes(record.key.id);
    let row = sqlx::query(
        "INSERT INTO usage_records (registry_id, tool_id, chain_id, unique_key, verification_type, caller, tx, asset, amount, \
         used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (chain_id, unique_key) DO NOTHING RETURNING id",
    )
    .bind(registry)
    .bind(&id[..])
    .bind(int(record.chain_id))
    .bind(record.unique.as_slice())
    .bind(record.verification_type.as_bytes())
    .bind(&record.caller[..])
    .bind(record.transaction.as_ref().map(|hash| hash.as_slice()))
    .bind(asset.as_ref().map(|address| address.as_slice()))
    .bind(amount.map(|amount: U256| id_bytes(amount).to_vec()))
    .bind(int(record.used_at))
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else {
        return known(&mut transaction, record).await;
    };
    let usage: i64 = row.try_get(0)?;
    let usage = RecordedUsage::New(usage.try_into().unwrap_or_default());
    if record.payment.is_none() {
        transaction.commit().await?;
        return Ok(usage);
    }
    let seq = next_seq(&mut transaction, 1).await?;
    sqlx::query(
        "UPDATE tools SET usage_count = usage_count + 1, seq = $1, change = $2, changed_at = $3 \
         WHERE registry_id = $4 AND tool_id = $5 AND state <> 2",
    )
    .bind(seq)
    .bind(ChangeKind::Usage.code())
    .bind(int(now))
    .bind(registry)
    .bind(&id[..])
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(usage)
}

/// The tool for which the proof was recorded before.
async fn known(connection: &mut Connection, record: &UsageRecord) -> Result<RecordedUsage, Error> {
    let row = sqlx::query(
        "SELECT r.chain_id, r.address, u.tool_id FROM usage_records u JOIN registries r ON r.id = u.registry_id \
         WHERE u.chain_id = $1 AND u.unique_key = $2",
    )
    .bind(int(record.chain_id))
    .bind(record.unique.as_slice())
    .fetch_one(connection)
    .await?;
    Ok(RecordedUsage::Known(Columns::new(&row).tool_key()?))
}

pub(super) async fn activity(
    store: &Store,
    key: ToolKey,
    limit: u32,
    offset: u32,
) -> Result<Vec<UsageEntry>, Error> {
    let mut connection = store.readers().acquire().await?;
    let Some(registry) = registry_id(&mut connection, key.registry).await? else {
        return Ok(Vec::new());
    };
    let rows = sqlx::query(
        "SELECT id, chain_id, unique_key, verification_type, caller, tx, asset, amount, used_at FROM usage_records \
         WHERE registry_id = $1 AND tool_id = $2 ORDER BY used_at DESC, id DESC LIMIT $3 OFFSET $4",
    )
    .bind(registry)
    .bind(&id_bytes(key.id)[..])
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut *connection)
    .await?;
    let entry = |row| {
        let mut columns = Columns::new(row);
        Ok(UsageEntry {
            id: columns.number()?,
            record: UsageRecord {
                key,
                chain_id: columns.number()?,
                unique: columns.bytes()?.to_vec(),
                verification_type: columns.text()?,
                caller: columns.address()?,
                transaction: columns.optional_hash()?,
                payment: {
                    let asset = columns.optional_address()?;
                    let amount = columns.optional_array::<32>()?.map(U256::from_be_bytes);
                    asset.zip(amount)
                },
                used_at: columns.number()?,
            },
        })
    };
    rows.iter().map(entry).collect()
}

pub(super) async fn stats(store: &Store, key: ToolKey) -> Result<UsageStats, Error> {
    let mut connection = store.readers().acquire().await?;
    let Some(registry) = registry_id(&mut connection, key.registry).await? else {
        return Ok(UsageStats::default());
    };
    let row = sqlx::query(
        "SELECT count(amount), count(*) - count(amount), count(DISTINCT CASE WHEN amount IS NOT NULL THEN caller END), \
         min(used_at), max(used_at) FROM usage_records \
         WHERE registry_id = $1 AND tool_id = $2",
    )
    .bind(registry)
    .bind(&id_bytes(key.id)[..])
    .fetch_one(&mut *connection)
    .await?;
    let mut columns = Columns::new(&row);
    Ok(UsageStats {
        count: columns.number()?,
        authorized: columns.number()?,
        callers: columns.number()?,
        first_at: columns.optional_number()?,
        last_at: columns.optional_number()?,
    })
}
