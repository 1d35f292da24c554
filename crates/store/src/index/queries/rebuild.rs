//! The projection, computed anew.

use std::collections::HashSet;

use alloy_primitives::U256;
use sqlx::QueryBuilder;

use super::{
    Columns, Connection, Db, Store,
    apply::{ToolRow, refresh_verification, undo, write_tools},
    int,
    projection_rows::{Tools, computed, nth_id_after, stored},
    verdict::verdict_of_tool,
};
use crate::{
    Error,
    index::{ChangeKind, Difference, Rebuild, RegistryKey, ToolKey, projection},
};

/// Tools that are compared at a time.
const PAGE: i64 = 1000;

/// Differences that are described.
const MAX_DIFFERENCES: usize = 20;

/// A status in the row of a tool that no verdict of its URI, hash and creator has.
const NO_VERDICT: &str =
    "status: stored as verified, but there is no such verdict on this URI, hash and creator";

pub(super) async fn rebuild(store: &Store, repair: bool, now: u64) -> Result<Rebuild, Error> {
    let mut transaction = if repair {
        store.begin().await?
    } else {
        store.snapshot().await?
    };
    let mut result = Rebuild::default();
    let rows = sqlx::query("SELECT id, chain_id, address FROM registries ORDER BY id")
        .fetch_all(&mut *transaction)
        .await?;
    for row in &rows {
        let mut columns = Columns::new(row);
        let id = columns.int()?;
        let key = RegistryKey {
            chain_id: columns.number()?,
            address: columns.address()?,
        };
        compare(
            &mut transaction,
            id,
            key,
            repair.then_some(int(now)),
            &mut result,
        )
        .await?;
    }
    transaction.commit().await?;
    Ok(result)
}

/// Tools that are stored as verified without a verdict that says so. Reads do not show them as verified.
async fn without_verdict(
    connection: &mut Connection,
    registry: i64,
    tools: Tools<'_>,
) -> Result<HashSet<[u8; 32]>, Error> {
    let mut query = QueryBuilder::<Db>::new(concat!(
        "SELECT t.tool_id FROM tools t LEFT JOIN verifications v ON ",
        verdict_of_tool!(),
        " AND v.status = 1 WHERE t.status = 1 AND t.state = 0 AND v.status IS NULL AND t.registry_id = "
    ));
    query.push_bind(registry).push(" AND ");
    tools.push(&mut query, "t.tool_id");
    let rows = query.build().fetch_all(connection).await?;
    rows.iter().map(|row| Columns::new(row).array()).collect()
}

async fn compare(
    connection: &mut Connection,
    registry: i64,
    key: RegistryKey,
    repair: Option<i64>,
    result: &mut Rebuild,
) -> Result<(), Error> {
    // Sorts before every id.
    let mut after = Vec::new();
    loop {
        let next = nth_id_after(connection, registry, &after, PAGE).await?;
        let is_last = next.is_none();
        let to = next.unwrap_or_else(|| vec![0xff; 33]);
        let range = Tools::Range(&after, &to);
        let (new, events) = computed(connection, registry, range).await?;
        let old = stored(connection, registry, range).await?;
        result.events += events;
        result.tools += new.len() as u64;
        let unfounded = without_verdict(connection, registry, range).await?;
        let mut wrong = Vec::new();
        let removed = old.keys().filter(|id| !new.contains_key(*id));
        for id in new.keys().chain(removed) {
            let differs = projection::difference(old.get(id), new.get(id));
            let without_verdict = || unfounded.contains(id).then(|| NO_VERDICT.to_owned());
            let Some(detail) = differs.or_else(without_verdict) else {
                continue;
            };
            wrong.push(*id);
            if result.differences.len() < MAX_DIFFERENCES {
                let key = ToolKey {
                    registry: key,
                    id: U256::from_be_bytes(*id),
                };
                result.differences.push(Difference { key, detail });
            }
        }
        result.differing += wrong.len() as u64;
        if let Some(now) = repair.filter(|_| !wrong.is_empty()) {
            let rows = wrong.iter().filter_map(|id| {
                Some(ToolRow {
                    id: *id,
                    tool: new.get(id)?,
                    change: ChangeKind::Rebuilt,
                })
            });
            let rows: Vec<_> = rows.collect();
            write_tools(connection, registry, &rows, now).await?;
            let gone: Vec<_> = wrong
                .iter()
                .filter(|id| !new.contains_key(*id))
                .copied()
                .collect();
            if !gone.is_empty() {
                undo(connection, registry, &gone, now).await?;
            }
            refresh_verification(connection, registry, &wrong).await?;
        }
        if is_last {
            break;
        }
        after = to;
    }
    if repair.is_some() {
        sqlx::query(
            "UPDATE registries SET tools = (SELECT count(*) FROM tools WHERE registry_id = $1 AND state <> 2) WHERE id = $1",
        )
        .bind(registry)
        .execute(connection)
        .await?;
    }
    Ok(())
}
