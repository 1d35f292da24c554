//! Batches of events.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use alloy_primitives::Address;
use sqlx::{QueryBuilder, Row as _};

use super::{
    Columns, Connection, Db, Store, chunks, id_bytes, int, next_seq,
    projection_rows::{Projections, Tools, computed, stored},
    push_ids,
    queue::mark_predicate,
    uses_predicate,
    verdict::verdict_of_tool,
};
use crate::{
    Error,
    index::{
        AccessType, Applied, Batch, ChangeKind, Event, EventBlock, EventKind, Listing,
        projection::{self, Input, Projection},
    },
};

/// A tool to write.
pub(super) struct ToolRow<'a> {
    pub(super) id: [u8; 32],
    pub(super) tool: &'a Projection,
    pub(super) change: ChangeKind,
}

/// A batch in its transaction.
struct Context<'a> {
    connection: &'a mut Connection,
    registry: i64,
    chain_id: i64,
    now: i64,
    applied: Applied,
    /// Change of the number of tools.
    tools: i64,
}

pub(super) async fn apply(store: &Store, batch: &Batch) -> Result<Applied, Error> {
    let mut transaction = store.begin().await?;
    let row = sqlx::query(
        "SELECT id, version, tip_number FROM registries WHERE chain_id = $1 AND address = $2",
    )
    .bind(int(batch.registry.chain_id))
    .bind(&batch.registry.address[..])
    .fetch_optional(&mut *transaction)
    .await?
    .ok_or(Error::UnknownRegistry)?;
    let mut columns = Columns::new(&row);
    let (registry, version, tip) = (
        columns.int()?,
        columns.number()?,
        columns.optional_number()?,
    );
    if version != batch.expected_version {
        return Err(Error::Conflict);
    }
    let mut context = Context {
        connection: &mut transaction,
        registry,
        chain_id: int(batch.registry.chain_id),
        now: int(batch.now),
        applied: Applied {
            version: version + 1,
            ..Applied::default()
        },
        tools: 0,
    };
    // A block that left the chain can return on top of the stored ones.
    if is_sequential(batch, tip) && context.known_blocks(&batch.blocks).await?.is_empty() {
        context.append(batch).await?;
    } else {
        context.replace(batch).await?;
    }
    let (applied, tools) = (context.applied, context.tools);
    let updated = sqlx::query(
        "UPDATE registries SET version = version + 1, checkpoint = $1, tip_number = $2, tip_hash = $3, tip_time = $4, \
         head = $5, status = $6, reason = NULL, updated_at = $7, tools = tools + $8 WHERE id = $9 AND version = $10",
    )
    .bind(batch.checkpoint.as_bytes())
    .bind(int(batch.tip.number))
    .bind(&batch.tip.hash[..])
    .bind(int(batch.tip.time))
    .bind(int(batch.head))
    .bind(batch.status.code())
    .bind(int(batch.now))
    .bind(tools)
    .bind(registry)
    .bind(int(version))
    .execute(&mut *transaction)
    .await?;
    if updated.rows_affected() != 1 {
        return Err(Error::Conflict);
    }
    transaction.commit().await?;
    Ok(applied)
}

/// Whether all blocks are new and follow the stored ones, so that events can be applied on top of the stored projections.
fn is_sequential(batch: &Batch, tip: Option<u64>) -> bool {
    let numbers = batch.blocks.iter().map(|block| block.block.number);
    let follows = numbers
        .clone()
        .zip(numbers.clone().skip(1))
        .all(|(a, b)| a < b);
    let is_new = numbers
        .clone()
        .next()
        .is_none_or(|first| tip.is_none_or(|tip| tip < first));
    batch.rewind.is_none() && follows && is_new
}

/// Events with the id of their block and its time.
fn rows_of<'a>(blocks: &[(i64, &'a EventBlock)]) -> Vec<(i64, i64, &'a Event)> {
    let rows = blocks.iter().flat_map(|(id, block)| {
        let time = int(block.block.time);
        block.events.iter().map(move |event| (*id, time, event))
    });
    rows.collect()
}

impl Context<'_> {
    /// New blocks after the stored ones.
    async fn append(&mut self, batch: &Batch) -> Result<(), Error> {
        if batch.blocks.is_empty() {
            return Ok(());
        }
        let first = self.take_block_ids(batch.blocks.len()).await?;
        let blocks: Vec<_> = (first..).zip(&batch.blocks).collect();
        self.insert_blocks(&blocks).await?;
        let events = rows_of(&blocks);
        self.applied.added_events = self.insert_events(&events).await?;

        // Tools that the batch does not register itself.
        let mut order: Vec<[u8; 32]> = Vec::new();
        let mut tools: HashMap<[u8; 32], (Option<Projection>, ChangeKind)> = HashMap::new();
        let mut earlier = Vec::new();
        let of_tools = || {
            let with_id = events.iter().filter(|(_, _, event)| event.kind.code() <= 3);
            with_id.filter_map(|(block, time, event)| {
                Some((id_bytes(event.tool_id?), *block, *time, *event))
            })
        };
        for (id, _, _, event) in of_tools() {
            if let Entry::Vacant(entry) = tools.entry(id) {
                entry.insert((None, ChangeKind::Registered));
                order.push(id);
                if event.kind != EventKind::Registered {
                    earlier.push(id);
                }
            }
        }
        let before = self.stored(&earlier).await?;
        for (id, tool) in &before {
            if let Some(entry) = tools.get_mut(id) {
                entry.0 = Some(tool.clone());
            }
        }
        for (id, block, time, event) in of_tools() {
            if let Some((tool, change)) = tools.get_mut(&id) {
                projection::apply(tool, &Input::new(event, block, time));
                *change = projection::change_kind(event.kind);
            }
        }
        let rows = order.iter().filter_map(|id| {
            let (tool, change) = tools.get(id)?;
            Some(ToolRow {
                id: *id,
                tool: tool.as_ref()?,
                change: *change,
            })
        });
        let rows: Vec<_> = rows.collect();
        self.tools = int((rows.len() - before.len()) as u64);
        self.write_tools(&rows, &before).await?;
        self.mark_access(&events).await
    }

    /// Blocks of which some may be stored, after a rewind or not: affected tools are computed from their events.
    async fn replace(&mut self, batch: &Batch) -> Result<(), Error> {
        let mut affected: BTreeSet<[u8; 32]> = BTreeSet::new();
        if let Some(to) = batch.rewind {
            self.rewind(to, &mut affected).await?;
        }
        let known = self.known_blocks(&batch.blocks).await?;
        let new: Vec<_> = batch
            .blocks
            .iter()
            .filter(|block| !known.contains_key(&block.block.hash.0))
            .collect();
        let first = self.take_block_ids(new.len()).await?;
        // A block can be in a batch twice.
        let mut ids: HashMap<[u8; 32], i64> = known.clone();
        let mut inserted = Vec::new();
        for block in new {
            if let Entry::Vacant(entry) = ids.entry(block.block.hash.0) {
                let next = first + int(inserted.len() as u64);
                entry.insert(next);
                inserted.push((next, block));
            }
        }
        self.insert_blocks(&inserted).await?;
        let returned: Vec<i64> = known.values().copied().collect();
        for chunk in chunks(&returned) {
            let mut query =
                QueryBuilder::<Db>::new("UPDATE blocks SET canonical = 1 WHERE id IN (");
            let mut list = query.separated(", ");
            for id in chunk {
                list.push_bind(*id);
            }
            query
                .push(")")
                .build()
                .execute(&mut *self.connection)
                .await?;
        }
        let blocks = batch
            .blocks
            .iter()
            .filter_map(|block| Some((*ids.get(&block.block.hash.0)?, block)));
        let blocks: Vec<_> = blocks.collect();
        let events = rows_of(&blocks);
        self.applied.added_events = self.insert_events(&events).await?;
        affected.extend(
            events
                .iter()
                .filter_map(|(_, _, event)| event.tool_id.map(id_bytes)),
        );

        let affected: Vec<_> = affected.into_iter().collect();
        for ids in affected.chunks(256) {
            let before = self.stored(ids).await?;
            let mut after = Projections::new();
            for ids in chunks(ids) {
                let (computed, _) =
                    computed(self.connection, self.registry, Tools::Ids(ids)).await?;
                after.extend(computed);
            }
            let changed = after
                .iter()
                .filter(|(id, tool)| before.get(*id) != Some(*tool));
            let rows = changed.map(|(id, tool)| ToolRow {
                id: *id,
                tool,
                change: ChangeKind::Reorged,
            });
            let rows: Vec<_> = rows.collect();
            self.write_tools(&rows, &before).await?;
            let gone: Vec<_> = before
                .keys()
                .filter(|id| !after.contains_key(*id))
                .copied()
                .collect();
            self.undo(&gone).await?;
            self.tools += int(after.len() as u64) - int(before.len() as u64);
        }
        self.mark_access(&events).await
    }

    /// Clears the blocks above a number, and returns the tools they concern.
    async fn rewind(
        &mut self,
        to: Option<u64>,
        affected: &mut BTreeSet<[u8; 32]>,
    ) -> Result<(), Error> {
        let after = to.map_or(-1, int);
        let rows = sqlx::query(
            "SELECT e.tool_id, e.kind, e.address FROM blocks b JOIN events e ON e.block_id = b.id \
             WHERE b.registry_id = $1 AND b.number > $2 AND b.canonical = 1",
        )
        .bind(self.registry)
        .bind(after)
        .fetch_all(&mut *self.connection)
        .await?;
        let (mut configured, mut upgraded) = (BTreeSet::new(), BTreeSet::new());
        for row in &rows {
            let mut columns = Columns::new(row);
            let id: Option<[u8; 32]> = columns.optional_array()?;
            let kind = columns.code(EventKind::from_code)?;
            let address = columns.optional_address()?;
            affected.extend(id);
            if kind == EventKind::Configured {
                configured.extend(id.zip(address));
            } else if kind == EventKind::Upgraded {
                upgraded.extend(address);
            }
        }
        self.applied.undone_events = rows.len() as u64;
        sqlx::query("UPDATE blocks SET canonical = 0 WHERE registry_id = $1 AND number > $2 AND canonical = 1")
            .bind(self.registry)
            .bind(after)
            .execute(&mut *self.connection)
            .await?;
        self.mark_tools(configured).await?;
        self.mark_predicates(upgraded).await
    }

    async fn take_block_ids(&mut self, count: usize) -> Result<i64, Error> {
        let count = int(count as u64);
        let row =
            sqlx::query("UPDATE index_meta SET last_block = last_block + $1 RETURNING last_block")
                .bind(count)
                .fetch_one(&mut *self.connection)
                .await?;
        let last: i64 = row.try_get(0)?;
        Ok(last - count + 1)
    }

    /// Ids of the stored blocks among these, by hash.
    async fn known_blocks(
        &mut self,
        blocks: &[EventBlock],
    ) -> Result<HashMap<[u8; 32], i64>, Error> {
        let mut known = HashMap::new();
        for chunk in chunks(blocks) {
            let mut query =
                QueryBuilder::<Db>::new("SELECT id, hash FROM blocks WHERE registry_id = ");
            query.push_bind(self.registry).push(" AND ");
            let hashes: Vec<_> = chunk.iter().map(|block| block.block.hash.0).collect();
            push_ids(&mut query, "hash", &hashes);
            let rows = query.build().fetch_all(&mut *self.connection).await?;
            for row in &rows {
                let mut columns = Columns::new(row);
                let id = columns.int()?;
                known.insert(columns.array()?, id);
            }
        }
        Ok(known)
    }

    async fn insert_blocks(&mut self, blocks: &[(i64, &EventBlock)]) -> Result<(), Error> {
        for chunk in chunks(blocks) {
            let mut query = QueryBuilder::<Db>::new(
                "INSERT INTO blocks (id, registry_id, number, hash, time, canonical) ",
            );
            query.push_values(chunk, |mut row, (id, block)| {
                row.push_bind(*id)
                    .push_bind(self.registry)
                    .push_bind(int(block.block.number))
                    .push_bind(&block.block.hash[..])
                    .push_bind(int(block.block.time))
                    .push("1");
            });
            query.build().execute(&mut *self.connection).await?;
        }
        Ok(())
    }

    async fn insert_events(&mut self, events: &[(i64, i64, &Event)]) -> Result<u64, Error> {
        let mut added = 0;
        for chunk in chunks(events) {
            let mut query = QueryBuilder::<Db>::new(
                "INSERT INTO events (block_id, log_index, registry_id, kind, tool_id, tx, address, creator, predicate, uri, \
                 uri_key, manifest_hash, data) ",
            );
            query.push_values(chunk, |mut row, (block, _, event)| {
                row.push_bind(*block)
                    .push_bind(int(event.log_index))
                    .push_bind(self.registry)
                    .push_bind(event.kind.code())
                    .push_bind(event.tool_id.map(|id| id_bytes(id).to_vec()))
                    .push_bind(&event.transaction[..])
                    .push_bind(event.address.as_ref().map(|address| address.as_slice()))
                    .push_bind(event.creator.as_ref().map(|address| address.as_slice()))
                    .push_bind(event.predicate.as_ref().map(|address| address.as_slice()))
                    .push_bind(event.metadata_uri.as_ref().map(String::as_bytes))
                    .push_bind(event.uri_key.as_ref().map(<[u8; 16]>::as_slice))
                    .push_bind(event.manifest_hash.as_ref().map(|hash| hash.as_slice()))
                    .push_bind(Some(event.data.as_slice()).filter(|data| !data.is_empty()));
            });
            query.push(" ON CONFLICT (block_id, log_index) DO NOTHING");
            added += query
                .build()
                .execute(&mut *self.connection)
                .await?
                .rows_affected();
        }
        Ok(added)
    }

    async fn stored(&mut self, ids: &[[u8; 32]]) -> Result<Projections, Error> {
        let mut tools = Projections::new();
        for chunk in chunks(ids) {
            tools.extend(stored(self.connection, self.registry, Tools::Ids(chunk)).await?);
        }
        Ok(tools)
    }

    async fn write_tools(
        &mut self,
        rows: &[ToolRow<'_>],
        before: &Projections,
    ) -> Result<(), Error> {
        self.applied.changed_tools += rows.len() as u64;
        write_tools(self.connection, self.registry, rows, self.now).await?;
        let changed = |differs: fn(&Projection, &Projection) -> bool| -> Vec<[u8; 32]> {
            let changed = rows.iter().filter(|row| {
                before
                    .get(&row.id)
                    .is_some_and(|old| differs(old, row.tool))
            });
            changed.map(|row| row.id).collect()
        };
        let metadata = changed(|old, new| {
            (&old.uri, old.manifest_hash, old.creator, old.registered_at)
                != (&new.uri, new.manifest_hash, new.creator, new.registered_at)
        });
        refresh_verification(self.connection, self.registry, &metadata).await?;
        let predicate =
            changed(|old, new| (old.predicate, old.creator) != (new.predicate, new.creator));
        delete_of(self.connection, &OF_PREDICATE, self.registry, &predicate).await?;
        // Uses of the tool of another creator are not uses of this one.
        let creator = changed(|old, new| old.creator != new.creator);
        for ids in chunks(&creator) {
            let mut query =
                QueryBuilder::<Db>::new("UPDATE tools SET usage_count = 0 WHERE registry_id = ");
            query.push_bind(self.registry).push(" AND ");
            push_ids(&mut query, "tool_id", ids);
            query.build().execute(&mut *self.connection).await?;
        }
        delete_of(self.connection, &["usage_records"], self.registry, &creator).await
    }

    /// Tools whose registration left the chain.
    async fn undo(&mut self, ids: &[[u8; 32]]) -> Result<(), Error> {
        if ids.is_empty() {
            return Ok(());
        }
        self.applied.changed_tools += ids.len() as u64;
        undo(self.connection, self.registry, ids, self.now).await
    }

    /// Makes evaluations due that these events concern.
    async fn mark_access(&mut self, events: &[(i64, i64, &Event)]) -> Result<(), Error> {
        let of_kind = |kind| {
            events
                .iter()
                .filter(move |(_, _, event)| event.kind == kind)
        };
        let configured = of_kind(EventKind::Configured)
            .filter_map(|(_, _, event)| Some((id_bytes(event.tool_id?), event.address?)));
        let upgraded = of_kind(EventKind::Upgraded).filter_map(|(_, _, event)| event.address);
        let (configured, upgraded) = (configured.collect(), upgraded.collect());
        self.mark_tools(configured).await?;
        self.mark_predicates(upgraded).await
    }

    /// Makes evaluations due of tools that their predicate, or one that it combines, configured. Any contract can emit such an event.
    async fn mark_tools(&mut self, configured: BTreeSet<([u8; 32], Address)>) -> Result<(), Error> {
        let mark = concat!(
            "UPDATE tools SET access_at = 0 WHERE state = 0 AND registry_id = $1 AND tool_id = $2 AND ",
            uses_predicate!("tools", "$3")
        );
        for (id, predicate) in configured {
            sqlx::query(mark)
                .bind(self.registry)
                .bind(&id[..])
                .bind(&predicate[..])
                .execute(&mut *self.connection)
                .await?;
        }
        Ok(())
    }

    async fn mark_predicates(&mut self, predicates: BTreeSet<Address>) -> Result<(), Error> {
        for predicate in predicates {
            mark_predicate(self.connection, self.chain_id, predicate).await?;
        }
        Ok(())
    }
}

/// Tables of what was evaluated of a tool's predicate.
const OF_PREDICATE: [&str; 2] = ["tool_access", "predicate_terms"];

/// Deletes the rows of tools.
async fn delete_of(
    connection: &mut Connection,
    tables: &[&str],
    registry: i64,
    ids: &[[u8; 32]],
) -> Result<(), Error> {
    for ids in chunks(ids) {
        for table in tables {
            let mut query = QueryBuilder::<Db>::new("DELETE FROM ");
            query.push(*table).push(" WHERE registry_id = ");
            query.push_bind(registry).push(" AND ");
            push_ids(&mut query, "tool_id", ids);
            query.build().execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// Writes projections. What does not follow from events stays, unless predicate or creator changed. [`undo`] removed it from a tool
/// whose registration left the chain.
pub(super) async fn write_tools(
    connection: &mut Connection,
    registry: i64,
    rows: &[ToolRow<'_>],
    now: i64,
) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut seq = next_seq(connection, rows.len()).await?;
    for chunk in chunks(rows) {
        let mut query = QueryBuilder::<Db>::new(
            "INSERT INTO tools (registry_id, tool_id, state, creator, uri, uri_key, manifest_hash, predicate, \
             registered_block, registered_at, updated_block, updates, seq, change, changed_at, access_type, access_at, \
             always_denies, status, next_at, requested, usage_count) ",
        );
        query.push_values(chunk, |mut row, ToolRow { id, tool, change }| {
            let (access_type, access_at) = match tool.predicate {
                None => (AccessType::Open, None),
                Some(_) => (AccessType::Gated, Some(0_i64)),
            };
            row.push_bind(registry)
                .push_bind(&id[..])
                .push_bind(tool.state.code())
                .push_bind(&tool.creator[..])
                .push_bind(tool.uri.as_slice())
                .push_bind(&tool.uri_key[..])
                .push_bind(&tool.manifest_hash[..])
                .push_bind(tool.predicate.as_ref().map(|address| address.as_slice()))
                .push_bind(tool.registered_block)
                .push_bind(tool.registered_at)
                .push_bind(tool.updated_block)
                .push_bind(tool.updates)
                .push_bind(seq)
                .push_bind(change.code())
                .push_bind(now)
                .push_bind(access_type.code())
                .push_bind(access_at)
                .push("0")
                .push("0")
                .push("0")
                .push("0")
                .push("0");
            seq += 1;
        });
        query.push(
            " ON CONFLICT (registry_id, tool_id) DO UPDATE SET state = excluded.state, creator = excluded.creator, \
             uri = excluded.uri, uri_key = excluded.uri_key, manifest_hash = excluded.manifest_hash, \
             predicate = excluded.predicate, registered_block = excluded.registered_block, \
             registered_at = excluded.registered_at, updated_block = excluded.updated_block, updates = excluded.updates, \
             seq = excluded.seq, change = excluded.change, changed_at = excluded.changed_at, \
             access_type = CASE WHEN SAME THEN tools.access_type ELSE excluded.access_type END, \
             always_denies = CASE WHEN SAME THEN tools.always_denies ELSE 0 END, \
             terms_upgraded_at = CASE WHEN SAME THEN tools.terms_upgraded_at ELSE NULL END, \
             access_at = CASE WHEN SAME THEN tools.access_at ELSE excluded.access_at END"
                .replace("SAME", SAME_PREDICATE),
        );
        query.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Whether an evaluation of the stored tool is one of the tool to write.
const SAME_PREDICATE: &str = "tools.state <> 2 AND tools.creator = excluded.creator \
     AND tools.predicate IS NOT DISTINCT FROM excluded.predicate";

/// Marks tools as undone, and forgets what does not follow from events: the registry can assign the id to another tool.
pub(super) async fn undo(
    connection: &mut Connection,
    registry: i64,
    ids: &[[u8; 32]],
    now: i64,
) -> Result<(), Error> {
    let mut seq = next_seq(connection, ids.len()).await?;
    for id in ids {
        sqlx::query(
            "UPDATE tools SET state = 2, seq = $1, change = $2, changed_at = $3, access_at = NULL, always_denies = 0, \
             terms_upgraded_at = NULL, status = 0, failing_check = NULL, checked_at = NULL, fresh_until = NULL, next_at = 0, \
             requested = 0, usage_count = 0 WHERE registry_id = $4 AND tool_id = $5",
        )
        .bind(seq)
        .bind(ChangeKind::Undone.code())
        .bind(now)
        .bind(registry)
        .bind(&id[..])
        .execute(&mut *connection)
        .await?;
        seq += 1;
    }
    delete_of(connection, &["tool_tags", "usage_records"], registry, ids).await?;
    delete_of(connection, &OF_PREDICATE, registry, ids).await
}

/// Shows the verification of the current URI, hash and creator, if there is one, and makes a new one due.
pub(super) async fn refresh_verification(
    connection: &mut Connection,
    registry: i64,
    ids: &[[u8; 32]],
) -> Result<(), Error> {
    for ids in chunks(ids) {
        let of_verdict = |column: &str| {
            format!(
                "(SELECT v.{column} FROM verifications v WHERE {})",
                verdict_of_tool!().replace("t.", "tools.")
            )
        };
        let mut query = QueryBuilder::<Db>::new(format!(
            "UPDATE tools SET status = COALESCE({}, 0), failing_check = {}, checked_at = {}, fresh_until = {}, next_at = 0 \
             WHERE registry_id = ",
            of_verdict("status"),
            of_verdict("failing_check"),
            of_verdict("checked_at"),
            of_verdict("fresh_until"),
        ));
        query.push_bind(registry).push(" AND ");
        push_ids(&mut query, "tool_id", ids);
        query.build().execute(&mut *connection).await?;

        delete_of(connection, &["tool_tags"], registry, ids).await?;
        let mut query = QueryBuilder::<Db>::new(concat!(
            "SELECT t.tool_id, t.registered_at, v.listing FROM tools t JOIN verifications v ON ",
            verdict_of_tool!(),
            " WHERE v.listing IS NOT NULL AND t.registry_id = ",
        ));
        query.push_bind(registry).push(" AND ");
        push_ids(&mut query, "t.tool_id", ids);
        let rows = query.build().fetch_all(&mut *connection).await?;
        for row in &rows {
            let mut columns = Columns::new(row);
            let (id, registered_at): ([u8; 32], _) = (columns.array()?, columns.int()?);
            let listing: Listing = columns.json()?;
            insert_tags(connection, registry, &id, registered_at, &listing).await?;
        }
    }
    Ok(())
}

/// Adds the tags of a tool.
pub(super) async fn insert_tags(
    connection: &mut Connection,
    registry: i64,
    id: &[u8; 32],
    registered_at: i64,
    listing: &Listing,
) -> Result<(), Error> {
    for tag in &listing.tags {
        sqlx::query(
            "INSERT INTO tool_tags (tag, registered_at, registry_id, tool_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )
        .bind(tag.as_bytes())
        .bind(registered_at)
        .bind(registry)
        .bind(&id[..])
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
