//! Reads of tools.

use std::collections::HashMap;

use alloy_primitives::{B256, U256, keccak256};
use sqlx::{QueryBuilder, Row as _};

use super::{
    Columns, Connection, Db, DbRow, Store,
    codec::corrupt,
    id_bytes, int, registry_id, uses_predicate,
    verdict::{self, StoredVerdict, verdict_of_tool},
};
use crate::{
    Error,
    index::{
        AccessType, Certificate, Change, ChangeKind, Event, EventKind, ListQuery, MAX_DUPLICATES,
        MAX_PAGE, Page, RegistryKey, RegistryStatus, SortOrder, StoredEvent, ToolAccess,
        ToolDetail, ToolKey, ToolRecord, ToolState, Verification, VerificationStatus,
    },
};

/// Rows that a page of a list looks at.
const MAX_SCAN: i64 = 1000;

/// Columns of a [`ToolRecord`], and of the change.
macro_rules! tool_columns {
    () => {
        "r.chain_id, r.address, t.tool_id, t.state, t.creator, t.uri, t.uri_key, t.manifest_hash, t.predicate, \
         rb.number, rb.hash, rb.time, ub.number, ub.hash, ub.time, t.updates, t.seq, t.change, t.access_type, t.status, \
         v.status, v.fresh_until, r.status, v.failing_check, v.checked_at, t.next_at, v.listing, v.risks, p.facts, t.always_denies, t.terms_upgraded_at, \
         (SELECT count(*) FROM (SELECT 1 FROM tools d WHERE d.uri_key = t.uri_key AND d.state = 0 LIMIT 101) same), \
         t.usage_count, t.changed_at, t.registered_at, t.registry_id"
    };
}

/// Joins to the tools `t`.
macro_rules! tool_joins {
    () => {
        concat!(" JOIN registries r ON r.id = t.registry_id JOIN blocks rb ON rb.id = t.registered_block \
         JOIN blocks ub ON ub.id = t.updated_block \
         LEFT JOIN verifications v ON ", verdict_of_tool!(), " \
         LEFT JOIN predicates p ON p.chain_id = r.chain_id AND p.address = t.predicate ")
    };
}

/// Columns for [`verification`].
macro_rules! verification_columns {
    () => {
        "v.uri, v.manifest_hash, v.creator, v.status, v.failing_check, v.report, v.checked_at, v.fresh_until, v.next_at, v.attempts, v.served_hash, \
         v.certificate_issuer, v.certificate_not_before, v.name_servers, v.listing, v.diff, v.risks, v.price_probe"
    };
}
pub(super) use verification_columns;

/// Position of a tool in a list.
#[derive(Clone, Copy)]
struct Position {
    registered_at: i64,
    registry: i64,
    id: [u8; 32],
}

struct Row {
    tool: ToolRecord,
    changed_at: u64,
    position: Position,
}

fn decode(row: &DbRow, now: u64) -> Result<Row, Error> {
    let mut columns = Columns::new(row);
    let fresh_until;
    let tool = ToolRecord {
        key: columns.tool_key()?,
        state: columns.code(ToolState::from_code)?,
        creator: columns.address()?,
        metadata_uri: columns.text()?,
        uri_key: columns.array()?,
        manifest_hash: columns.hash()?,
        predicate: columns.optional_address()?,
        registered: columns.block()?,
        updated: columns.block()?,
        updates: columns.number()?,
        seq: columns.number()?,
        change: columns.code(ChangeKind::from_code)?,
        access_type: columns.code(AccessType::from_code)?,
        status: {
            let shown = columns.code(VerificationStatus::from_code)?;
            let stored = columns.optional_code(VerificationStatus::from_code)?;
            fresh_until = columns.optional_number()?;
            let verdict = stored
                .zip(fresh_until)
                .map(|(status, fresh_until)| StoredVerdict {
                    status,
                    fresh_until,
                });
            let registry = columns.code(RegistryStatus::from_code)?;
            verdict::status(shown, verdict, registry, now)
        },
        failing_check: columns.optional_int()?.map(check_number),
        checked_at: columns.optional_number()?,
        fresh_until,
        next_check_at: columns.number()?,
        listing: columns.optional_json()?,
        risks: columns.optional_json()?.unwrap_or_default(),
        predicate_facts: columns.optional_json()?,
        always_denies: columns.flag()?,
        terms_upgraded_at: columns.optional_number()?,
        duplicates: columns.number()?,
        usage_count: columns.number()?,
    };
    // The tool itself is among the live tools with its URI.
    let own = u64::from(tool.state == ToolState::Live);
    let duplicates = tool.duplicates.saturating_sub(own).min(MAX_DUPLICATES);
    let id = id_bytes(tool.key.id);
    Ok(Row {
        tool: ToolRecord { duplicates, ..tool },
        changed_at: columns.number()?,
        position: Position {
            registered_at: columns.int()?,
            registry: columns.int()?,
            id,
        },
    })
}

fn check_number(value: i64) -> u8 {
    u8::try_from(value).unwrap_or_default()
}

/// Reads [`verification_columns`].
pub(super) fn verification(columns: &mut Columns<'_>) -> Result<Verification, Error> {
    Ok(Verification {
        metadata_uri: columns.text()?,
        manifest_hash: columns.hash()?,
        creator: columns.address()?,
        status: columns.code(VerificationStatus::from_code)?,
        failing_check: columns.optional_int()?.map(check_number),
        report: columns.text()?,
        checked_at: columns.number()?,
        fresh_until: columns.number()?,
        next_at: columns.number()?,
        attempts: u32::try_from(columns.int()?).unwrap_or(u32::MAX),
        served_hash: columns.optional_hash()?,
        certificate: {
            let issuer = columns.optional_text()?;
            let not_before = columns.optional_number()?;
            issuer
                .zip(not_before)
                .map(|(issuer, not_before)| Certificate { issuer, not_before })
        },
        name_servers: columns
            .optional_text()?
            .map(|names| names.split(' ').map(str::to_owned).collect()),
        listing: columns.optional_json()?,
        diff: columns.optional_text()?,
        risks: columns.json()?,
        price_probe: columns.optional_text()?,
    })
}

async fn record(
    connection: &mut Connection,
    registry: i64,
    id: &[u8; 32],
    now: u64,
) -> Result<Option<ToolRecord>, Error> {
    let select = concat!(
        "SELECT ",
        tool_columns!(),
        " FROM tools t",
        tool_joins!(),
        "WHERE t.registry_id = $1 AND t.tool_id = $2 AND t.state <> 2"
    );
    let row = sqlx::query(select)
        .bind(registry)
        .bind(&id[..])
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(decode(&row, now)?.tool)).transpose()
}

pub(super) async fn tool(store: &Store, key: ToolKey) -> Result<Option<ToolRecord>, Error> {
    let mut connection = store.readers().acquire().await?;
    match registry_id(&mut connection, key.registry).await? {
        Some(registry) => record(&mut connection, registry, &id_bytes(key.id), store.now()).await,
        None => Ok(None),
    }
}

pub(super) async fn tools(
    store: &Store,
    keys: &[ToolKey],
) -> Result<Vec<Option<ToolRecord>>, Error> {
    let mut connection = store.readers().acquire().await?;
    let keys = &keys[..keys.len().min(MAX_PAGE as usize)];
    let mut registries: HashMap<RegistryKey, Option<i64>> = HashMap::new();
    let mut query = QueryBuilder::<Db>::new(concat!(
        "SELECT ",
        tool_columns!(),
        " FROM tools t",
        tool_joins!(),
        "WHERE "
    ));
    query.push("t.state <> 2 AND (t.registry_id, t.tool_id) IN (");
    let mut wanted = 0;
    for key in keys {
        let registry = match registries.get(&key.registry) {
            Some(registry) => *registry,
            None => {
                let registry = registry_id(&mut connection, key.registry).await?;
                registries.insert(key.registry, registry);
                registry
            }
        };
        if let Some(registry) = registry {
            query.push(if wanted > 0 { ", (" } else { "(" });
            query
                .push_bind(registry)
                .push(", ")
                .push_bind(id_bytes(key.id).to_vec())
                .push(")");
            wanted += 1;
        }
    }
    if wanted == 0 {
        return Ok(vec![None; keys.len()]);
    }
    query.push(")");
    let rows = query.build().fetch_all(&mut *connection).await?;
    let mut found = HashMap::new();
    for row in &rows {
        let tool = decode(row, store.now())?.tool;
        found.insert(tool.key, tool);
    }
    Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
}

pub(super) async fn detail(store: &Store, key: ToolKey) -> Result<Option<ToolDetail>, Error> {
    let mut snapshot = store.snapshot().await?;
    let connection = &mut *snapshot;
    let Some(registry) = registry_id(connection, key.registry).await? else {
        return Ok(None);
    };
    let id = id_bytes(key.id);
    let Some(tool) = record(connection, registry, &id, store.now()).await? else {
        return Ok(None);
    };
    let select = concat!(
        "SELECT ",
        verification_columns!(),
        " FROM verifications v JOIN tools t ON ",
        verdict_of_tool!(),
        " WHERE v.registry_id = $1 AND v.tool_id = $2"
    );
    let row = sqlx::query(select)
        .bind(registry)
        .bind(&id[..])
        .fetch_optional(&mut *connection)
        .await?;
    let verification = row
        .map(|row| verification(&mut Columns::new(&row)))
        .transpose()?;
    let manifest = manifest_bytes(connection, tool.manifest_hash).await?;
    let row = sqlx::query(
        "SELECT predicate, access_type, requirements, always_denies, checked_at FROM tool_access \
         WHERE registry_id = $1 AND tool_id = $2",
    )
    .bind(registry)
    .bind(&id[..])
    .fetch_optional(&mut *connection)
    .await?;
    let access = row.map(|row| access(&row)).transpose()?;
    let duplicates = same_uri(connection, &tool).await?;
    Ok(Some(ToolDetail {
        tool,
        verification,
        manifest,
        access,
        duplicates,
    }))
}

fn access(row: &DbRow) -> Result<ToolAccess, Error> {
    let mut columns = Columns::new(row);
    Ok(ToolAccess {
        predicate: columns.address()?,
        access_type: columns.code(AccessType::from_code)?,
        requirements: columns.text()?,
        always_denies: columns.flag()?,
        checked_at: columns.number()?,
    })
}

async fn manifest_bytes(connection: &mut Connection, hash: B256) -> Result<Option<Vec<u8>>, Error> {
    let row = sqlx::query("SELECT content FROM manifests WHERE hash = $1")
        .bind(&hash[..])
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

pub(super) async fn manifest(store: &Store, hash: B256) -> Result<Option<Vec<u8>>, Error> {
    let mut connection = store.readers().acquire().await?;
    manifest_bytes(&mut connection, hash).await
}

async fn same_uri(connection: &mut Connection, tool: &ToolRecord) -> Result<Vec<ToolKey>, Error> {
    let rows = sqlx::query(
        "SELECT r.chain_id, r.address, t.tool_id FROM (SELECT registry_id, tool_id, registered_at FROM tools \
         WHERE uri_key = $1 AND state = 0 LIMIT $2) t JOIN registries r ON r.id = t.registry_id \
         ORDER BY t.registered_at, t.registry_id, t.tool_id",
    )
    .bind(&tool.uri_key[..])
    .bind(int(MAX_DUPLICATES + 1))
    .fetch_all(connection)
    .await?;
    let keys: Vec<_> = rows
        .iter()
        .map(|row| Columns::new(row).tool_key())
        .collect::<Result<_, _>>()?;
    let others = keys.into_iter().filter(|key| *key != tool.key);
    Ok(others.take(MAX_DUPLICATES as usize).collect())
}

pub(super) async fn duplicates(store: &Store, key: ToolKey) -> Result<Vec<ToolKey>, Error> {
    let mut connection = store.readers().acquire().await?;
    let Some(registry) = registry_id(&mut connection, key.registry).await? else {
        return Ok(Vec::new());
    };
    match record(&mut connection, registry, &id_bytes(key.id), store.now()).await? {
        Some(tool) => same_uri(&mut connection, &tool).await,
        None => Ok(Vec::new()),
    }
}

/// Events up to a kind.
pub(super) async fn history(
    store: &Store,
    key: ToolKey,
    last_kind: EventKind,
) -> Result<Vec<StoredEvent>, Error> {
    let mut connection = store.readers().acquire().await?;
    let Some(registry) = registry_id(&mut connection, key.registry).await? else {
        return Ok(Vec::new());
    };
    let rows = sqlx::query(concat!(
        "SELECT b.number, b.hash, b.time, e.kind, e.log_index, e.tx, e.address, e.tool_id, e.creator, e.predicate, e.uri, \
         e.uri_key, e.manifest_hash, e.data FROM events e JOIN blocks b ON b.id = e.block_id \
         JOIN tools t ON t.registry_id = e.registry_id AND t.tool_id = e.tool_id \
         WHERE e.registry_id = $1 AND e.tool_id = $2 AND b.canonical = 1 AND e.kind <= $4 AND (e.kind <= 3 OR ",
        uses_predicate!("t", "e.address"),
        ") ORDER BY b.number DESC, e.log_index DESC LIMIT $3"
    ))
    .bind(registry)
    .bind(&id_bytes(key.id)[..])
    .bind(i64::from(MAX_PAGE))
    .bind(last_kind.code())
    .fetch_all(&mut *connection)
    .await?;
    let event = |row: &DbRow| {
        let mut columns = Columns::new(row);
        Ok(StoredEvent {
            block: columns.block()?,
            event: Event {
                kind: columns.code(EventKind::from_code)?,
                log_index: columns.number()?,
                transaction: columns.hash()?,
                address: columns.optional_address()?,
                tool_id: columns.optional_array::<32>()?.map(U256::from_be_bytes),
                creator: columns.optional_address()?,
                predicate: columns.optional_address()?,
                metadata_uri: columns.optional_text()?,
                uri_key: columns.optional_array()?,
                manifest_hash: columns.optional_hash()?,
                data: columns.optional_bytes()?.unwrap_or_default().to_vec(),
            },
        })
    };
    rows.iter().rev().map(event).collect()
}

pub(super) async fn changes_since(
    store: &Store,
    seq: u64,
    limit: u32,
) -> Result<Vec<Change>, Error> {
    let select = concat!(
        "SELECT ",
        tool_columns!(),
        " FROM (SELECT * FROM tools WHERE seq > $1 ORDER BY seq LIMIT $2) t",
        tool_joins!(),
        "ORDER BY t.seq"
    );
    let rows = sqlx::query(select)
        .bind(int(seq))
        .bind(i64::from(limit))
        .fetch_all(store.readers())
        .await?;
    let change = |row: &DbRow| {
        let Row {
            tool, changed_at, ..
        } = decode(row, store.now())?;
        Ok(Change {
            seq: tool.seq,
            kind: tool.change,
            at: changed_at,
            tool,
        })
    };
    rows.iter().map(change).collect()
}

pub(super) async fn last_seq(store: &Store) -> Result<u64, Error> {
    let row = sqlx::query("SELECT seq FROM index_meta")
        .fetch_one(store.readers())
        .await?;
    Columns::new(&row).number()
}

/// Numbers and times of changes ascend together, so the number is found by bisection.
pub(super) async fn seq_at(store: &Store, time: u64) -> Result<u64, Error> {
    let mut connection = store.readers().acquire().await?;
    let row = sqlx::query("SELECT seq FROM index_meta")
        .fetch_one(&mut *connection)
        .await?;
    let last = Columns::new(&row).number()?;
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = u64::midpoint(low, high);
        let row = sqlx::query("SELECT changed_at FROM tools WHERE seq >= $1 ORDER BY seq LIMIT 1")
            .bind(int(middle))
            .fetch_optional(&mut *connection)
            .await?;
        let changed_at = row.map(|row| Columns::new(&row).number()).transpose()?;
        if changed_at.is_some_and(|changed_at| changed_at < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// Identifies the filters, so that a cursor is used with the same ones.
fn purpose(query: &ListQuery) -> [u8; 32] {
    let ListQuery {
        sort,
        chain_id,
        registry,
        access_types,
        creator,
        tag,
        verified_only,
        include_deregistered,
        limit: _,
        cursor: _,
    } = query;
    let text = format!(
        "{sort:?} {chain_id:?} {registry:?} {access_types:?} {creator:?} {tag:?} {verified_only} {include_deregistered}"
    );
    keccak256(text).0
}

impl Position {
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (registered_at, rest) = bytes.split_at_checked(8)?;
        let (registry, id) = rest.split_at_checked(8)?;
        Some(Self {
            registered_at: i64::from_be_bytes(registered_at.try_into().ok()?),
            registry: i64::from_be_bytes(registry.try_into().ok()?),
            id: id.try_into().ok()?,
        })
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.registered_at.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.registry.to_be_bytes());
        bytes.extend_from_slice(&self.id);
        bytes
    }
}

/// A list: an index scan in order, of bounded length, and conditions on its rows.
struct Scan<'q> {
    query: &'q ListQuery,
    /// Registries to keep; `None`: all.
    registries: Option<Vec<i64>>,
    after: Option<Position>,
    now: u64,
}

impl Scan<'_> {
    /// `FROM … ORDER BY … LIMIT …` of the scan. The first condition selects the index.
    fn push_scan(&self, sql: &mut QueryBuilder<Db>, columns: &str, limit: i64, offset: i64) {
        let query = self.query;
        let is_tagged = query.tag.is_some();
        let prefix = if is_tagged { "g." } else { "" };
        sql.push("SELECT ").push(columns).push(" FROM ");
        match &query.tag {
            Some(tag) => {
                sql.push(
                    "tool_tags g JOIN tools t ON t.registry_id = g.registry_id AND t.tool_id = g.tool_id WHERE g.tag = ",
                );
                sql.push_bind(tag.as_bytes());
            }
            None => {
                sql.push("tools t WHERE ");
                if let Some(creator) = &query.creator {
                    sql.push("creator = ").push_bind(creator.as_slice());
                } else if query.verified_only {
                    sql.push("status = 1 AND state = 0");
                    if let [access_type] = query.access_types[..] {
                        sql.push(" AND access_type = ")
                            .push_bind(access_type.code());
                    }
                } else if let [access_type] = query.access_types[..]
                    && access_type != AccessType::Open
                {
                    sql.push("access_type > 0 AND access_type = ")
                        .push_bind(access_type.code());
                } else {
                    sql.push("1 = 1");
                }
            }
        }
        let (comparison, order) = match query.sort {
            SortOrder::Newest => ("<", "DESC"),
            SortOrder::Oldest => (">", "ASC"),
        };
        if let Some(after) = &self.after {
            sql.push(format!(
                " AND ({prefix}registered_at, {prefix}registry_id, {prefix}tool_id) {comparison} ("
            ));
            sql.push_bind(after.registered_at)
                .push(", ")
                .push_bind(after.registry)
                .push(", ");
            sql.push_bind(after.id.to_vec()).push(")");
        }
        sql.push(format!(
            " ORDER BY {prefix}registered_at {order}, {prefix}registry_id {order}, {prefix}tool_id {order} LIMIT "
        ));
        sql.push_bind(limit).push(" OFFSET ").push_bind(offset);
    }

    /// Conditions on the scanned rows `s`.
    fn push_conditions(&self, sql: &mut QueryBuilder<Db>) {
        let query = self.query;
        sql.push(if query.include_deregistered {
            "s.state <> 2"
        } else {
            "s.state = 0"
        });
        if query.verified_only {
            sql.push(" AND s.status = 1 AND s.fresh_until >= ")
                .push_bind(int(self.now));
        }
        if let Some(creator) = &query.creator {
            sql.push(" AND s.creator = ").push_bind(creator.as_slice());
        }
        let mut push_any = |column: &str, values: &[i64]| {
            sql.push(" AND ").push(column).push(" IN (");
            let mut list = sql.separated(", ");
            for value in values {
                list.push_bind(*value);
            }
            sql.push(")");
        };
        if !query.access_types.is_empty() {
            let codes: Vec<_> = query.access_types.iter().map(|kind| kind.code()).collect();
            push_any("s.access_type", &codes);
        }
        if let Some(registries) = &self.registries {
            push_any("s.registry_id", registries);
        }
    }

    async fn rows(&self, connection: &mut Connection, limit: i64) -> Result<Vec<Row>, Error> {
        let mut sql = QueryBuilder::<Db>::new(concat!(
            "SELECT ",
            tool_columns!(),
            " FROM (SELECT * FROM ("
        ));
        self.push_scan(&mut sql, "t.*", MAX_SCAN, 0);
        sql.push(") s WHERE ");
        self.push_conditions(&mut sql);
        sql.push(" LIMIT ")
            .push_bind(limit)
            .push(") t")
            .push(tool_joins!());
        let order = match self.query.sort {
            SortOrder::Newest => "DESC",
            SortOrder::Oldest => "ASC",
        };
        sql.push(format!(
            "ORDER BY t.registered_at {order}, t.registry_id {order}, t.tool_id {order}"
        ));
        let rows = sql.build().fetch_all(connection).await?;
        rows.iter().map(|row| decode(row, self.now)).collect()
    }

    /// The last row that the scan looked at, if it stopped at its limit.
    async fn end(&self, connection: &mut Connection) -> Result<Option<Position>, Error> {
        let mut sql = QueryBuilder::<Db>::new("");
        self.push_scan(
            &mut sql,
            "t.registered_at, t.registry_id, t.tool_id",
            1,
            MAX_SCAN - 1,
        );
        let row = sql.build().fetch_optional(connection).await?;
        row.map(|row| {
            let mut columns = Columns::new(&row);
            Ok(Position {
                registered_at: columns.int()?,
                registry: columns.int()?,
                id: columns.array()?,
            })
        })
        .transpose()
    }
}

pub(super) async fn list(store: &Store, query: &ListQuery) -> Result<Page<ToolRecord>, Error> {
    let purpose = purpose(query);
    let after = match &query.cursor {
        None => None,
        Some(cursor) => {
            let bytes = store
                .cursor_key
                .open(&purpose, cursor)
                .ok_or(Error::InvalidCursor)?;
            Some(
                Position::decode(&bytes)
                    .ok_or_else(|| corrupt("a signed cursor has another length".to_owned()))?,
            )
        }
    };
    let mut snapshot = store.snapshot().await?;
    let Some(registries) = registries(&mut snapshot, query).await? else {
        return Ok(Page {
            items: Vec::new(),
            next: None,
        });
    };
    let scan = Scan {
        query,
        registries,
        after,
        now: store.now(),
    };
    let limit = query.limit.clamp(1, MAX_PAGE) as usize;
    // One more than needed tells whether there is another page.
    let mut rows = scan.rows(&mut snapshot, limit as i64 + 1).await?;
    let next = if rows.len() > limit {
        rows.truncate(limit);
        rows.last().map(|row| row.position)
    } else {
        scan.end(&mut snapshot).await?
    };
    let tools = rows.into_iter().map(|row| row.tool);
    let tools =
        tools.filter(|tool| !query.verified_only || tool.status == VerificationStatus::Verified);
    Ok(Page {
        items: tools.collect(),
        next: next.map(|position| store.cursor_key.seal(&purpose, &position.encode())),
    })
}

/// The registries of the filters: `None` if there are none, `Some(None)` if all of them are meant.
async fn registries(
    connection: &mut Connection,
    query: &ListQuery,
) -> Result<Option<Option<Vec<i64>>>, Error> {
    if query.chain_id.is_none() && query.registry.is_none() && !query.verified_only {
        return Ok(Some(None));
    }
    let rows = sqlx::query("SELECT id, chain_id, address, status FROM registries")
        .fetch_all(connection)
        .await?;
    let mut ids = Vec::new();
    let mut is_all = true;
    for row in &rows {
        let mut columns = Columns::new(row);
        let id = columns.int()?;
        let key = RegistryKey {
            chain_id: columns.number()?,
            address: columns.address()?,
        };
        let status = columns.code(RegistryStatus::from_code)?;
        let has_verified = status != RegistryStatus::CodeChanged;
        if (has_verified || !query.verified_only)
            && query.chain_id.is_none_or(|chain| chain == key.chain_id)
            && query.registry.is_none_or(|found| found == key)
        {
            ids.push(id);
        } else {
            is_all = false;
        }
    }
    Ok(match ids.is_empty() {
        true => None,
        false if is_all => Some(None),
        false => Some(Some(ids)),
    })
}
