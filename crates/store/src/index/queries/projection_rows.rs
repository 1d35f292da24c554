//! Projections in the database, and from the events in the database.

use std::collections::BTreeMap;

use futures_util::TryStreamExt;
use sqlx::{QueryBuilder, Row as _};

use super::{Columns, Connection, Db, DbRow, push_ids};
use crate::{
    Error,
    index::{
        EventKind, ToolState,
        projection::{self, Input, Projection},
    },
};

/// Tools by id.
pub(super) type Projections = BTreeMap<[u8; 32], Projection>;

/// A set of tools of a registry.
#[derive(Clone, Copy)]
pub(super) enum Tools<'a> {
    Ids(&'a [[u8; 32]]),
    /// Ids after the first and up to the second.
    Range(&'a [u8], &'a [u8]),
}

impl Tools<'_> {
    pub(super) fn push(self, query: &mut QueryBuilder<Db>, column: &str) {
        match self {
            Self::Ids(ids) => push_ids(query, column, ids),
            Self::Range(after, to) => {
                query.push(column).push(" > ").push_bind(after);
                query.push(" AND ").push(column).push(" <= ").push_bind(to);
            }
        }
    }
}

/// The stored projections. Undone tools are left out.
pub(super) async fn stored(
    connection: &mut Connection,
    registry: i64,
    tools: Tools<'_>,
) -> Result<Projections, Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT tool_id, state, creator, uri, uri_key, manifest_hash, predicate, registered_block, registered_at, \
         updated_block, updates FROM tools WHERE registry_id = ",
    );
    query.push_bind(registry).push(" AND state <> 2 AND ");
    tools.push(&mut query, "tool_id");
    let mut rows = query.build().fetch(connection);
    let mut projections = Projections::new();
    while let Some(row) = rows.try_next().await? {
        let (id, tool) = decode(&row)?;
        projections.insert(id, tool);
    }
    Ok(projections)
}

fn decode(row: &DbRow) -> Result<([u8; 32], Projection), Error> {
    let mut columns = Columns::new(row);
    let id = columns.array()?;
    Ok((
        id,
        Projection {
            state: columns.code(ToolState::from_code)?,
            creator: columns.address()?,
            uri: columns.bytes()?.to_vec(),
            uri_key: columns.array()?,
            manifest_hash: columns.hash()?,
            predicate: columns.optional_address()?,
            registered_block: columns.int()?,
            registered_at: columns.int()?,
            updated_block: columns.int()?,
            updates: columns.int()?,
        },
    ))
}

/// The projections that the canonical events give, and the number of events.
pub(super) async fn computed(
    connection: &mut Connection,
    registry: i64,
    tools: Tools<'_>,
) -> Result<(Projections, u64), Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT e.tool_id, e.kind, e.creator, e.predicate, e.uri, e.uri_key, e.manifest_hash, b.id, b.time \
         FROM events e JOIN blocks b ON b.id = e.block_id WHERE e.registry_id = ",
    );
    query
        .push_bind(registry)
        .push(" AND e.kind <= 3 AND b.canonical = 1 AND ");
    tools.push(&mut query, "e.tool_id");
    query.push(" ORDER BY e.tool_id, b.number, e.log_index");
    let mut rows = query.build().fetch(connection);
    let mut projections = Projections::new();
    let mut current: Option<([u8; 32], Option<Projection>)> = None;
    let mut events = 0;
    while let Some(row) = rows.try_next().await? {
        events += 1;
        let mut columns = Columns::new(&row);
        let id = columns.array()?;
        let input = Input {
            kind: columns.code(EventKind::from_code)?,
            creator: columns.optional_address()?,
            predicate: columns.optional_address()?,
            uri: columns.optional_bytes()?,
            uri_key: columns.optional_array()?,
            manifest_hash: columns.optional_hash()?,
            block_id: columns.int()?,
            time: columns.int()?,
        };
        if current.as_ref().is_none_or(|(known, _)| *known != id) {
            if let Some((id, Some(tool))) = current.take() {
                projections.insert(id, tool);
            }
            current = Some((id, None));
        }
        if let Some((_, tool)) = &mut current {
            projection::apply(tool, &input);
        }
    }
    if let Some((id, Some(tool))) = current {
        projections.insert(id, tool);
    }
    Ok((projections, events))
}

/// The last of the next `count` tool ids with events after an id; `None` if there are none.
pub(super) async fn nth_id_after(
    connection: &mut Connection,
    registry: i64,
    after: &[u8],
    count: i64,
) -> Result<Option<Vec<u8>>, Error> {
    let row = sqlx::query(
        "SELECT tool_id FROM (SELECT DISTINCT tool_id FROM events WHERE registry_id = $1 AND tool_id > $2 \
         ORDER BY tool_id LIMIT $3) ids ORDER BY tool_id DESC LIMIT 1",
    )
    .bind(registry)
    .bind(after)
    .bind(count)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}
