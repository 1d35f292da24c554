//! Verifications and evaluations that are due.
//!
//! A lease is a due time in the future: when the worker dies, the job is due again at that time.

use alloy_primitives::Address;
use sqlx::{AssertSqlSafe, QueryBuilder};

use super::{
    Columns, Connection, Db, DbRow, SKIP_LOCKED, Store,
    apply::insert_tags,
    codec::json,
    id_bytes, int, next_seq,
    read::{verification, verification_columns},
    registry_id,
};
use crate::{
    Error,
    index::{
        AccessResult, Block, ChangeKind, Claim, Job, JobClass, JobKind, PredicateTerm, RegistryKey,
        ToolKey, VerificationResult,
    },
};

/// `tools.requested`: a verification was requested, also while another one ran; and the requested one runs.
const REQUESTED: i64 = 1;
const REQUEST_LEASED: i64 = 2;

const fn due_column(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Verification => "next_at",
        JobKind::Access => "access_at",
    }
}

pub(super) async fn claim(store: &Store, claim: &Claim<'_>) -> Result<Vec<Job>, Error> {
    let kind = claim.kind;
    let column = due_column(kind);
    let mut transaction = store.begin().await?;
    let mut query = QueryBuilder::<Db>::new(format!("UPDATE tools SET {column} = "));
    query.push_bind(int(claim.until));
    if kind == JobKind::Verification {
        query.push(format!(
            ", requested = CASE WHEN requested > 0 THEN {REQUEST_LEASED} ELSE 0 END"
        ));
    }
    query.push(format!(
        " WHERE (registry_id, tool_id) IN (SELECT registry_id, tool_id FROM tools \
         WHERE state = 0 AND {column} IS NOT NULL AND {column} <= "
    ));
    query.push_bind(int(claim.now));
    match claim.class {
        None => {}
        Some(JobClass::Requested) => {
            query.push(" AND requested > 0");
        }
        Some(JobClass::Status(status)) => {
            query.push(format!(" AND requested = 0 AND status = {}", status.code()));
        }
    }
    if !claim.busy_creators.is_empty() {
        query.push(" AND creator NOT IN (");
        let mut list = query.separated(", ");
        for creator in claim.busy_creators {
            list.push_bind(creator.as_slice());
        }
        query.push(")");
    }
    query.push(format!(" ORDER BY {column} LIMIT "));
    query.push_bind(i64::from(claim.limit));
    query.push(format!(" {SKIP_LOCKED}) RETURNING registry_id, tool_id"));
    let rows = query.build().fetch_all(&mut *transaction).await?;
    let mut jobs = Vec::new();
    for row in &rows {
        let mut columns = Columns::new(row);
        let (registry, id): (i64, [u8; 32]) = (columns.int()?, columns.array()?);
        let row = sqlx::query(
            "SELECT r.chain_id, r.address, t.tool_id, t.uri, t.manifest_hash, t.creator, t.predicate, b.number, b.hash, b.time \
             FROM tools t JOIN registries r ON r.id = t.registry_id JOIN blocks b ON b.id = t.updated_block \
             WHERE t.registry_id = $1 AND t.tool_id = $2",
        )
        .bind(registry)
        .bind(&id[..])
        .fetch_one(&mut *transaction)
        .await?;
        let mut job = job(&row, kind)?;
        job.class = claim.class;
        if kind == JobKind::Verification {
            let select = concat!(
                "SELECT ",
                verification_columns!(),
                " FROM verifications v WHERE v.registry_id = $1 AND v.tool_id = $2 ORDER BY v.checked_at DESC LIMIT 1"
            );
            let row = sqlx::query(select)
                .bind(registry)
                .bind(&id[..])
                .fetch_optional(&mut *transaction)
                .await?;
            job.previous = row
                .map(|row| verification(&mut Columns::new(&row)))
                .transpose()?;
            let same = job
                .previous
                .as_ref()
                .filter(|previous| previous.is_of(&job));
            job.attempts = same.map_or(0, |previous| previous.attempts);
        }
        jobs.push(job);
    }
    transaction.commit().await?;
    Ok(jobs)
}

fn job(row: &DbRow, kind: JobKind) -> Result<Job, Error> {
    let mut columns = Columns::new(row);
    Ok(Job {
        key: columns.tool_key()?,
        kind,
        metadata_uri: columns.text()?,
        manifest_hash: columns.hash()?,
        creator: columns.address()?,
        predicate: columns.optional_address()?,
        updated: Block {
            number: columns.number()?,
            hash: columns.hash()?,
            time: columns.number()?,
        },
        class: None,
        attempts: 0,
        previous: None,
    })
}

pub(super) async fn release(
    store: &Store,
    key: ToolKey,
    kind: JobKind,
    next_at: u64,
) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    let registry = registry_id(&mut transaction, key.registry)
        .await?
        .ok_or(Error::UnknownRegistry)?;
    // A job that became due while it was leased stays due.
    let release = match kind {
        JobKind::Verification => format!(
            "UPDATE tools SET next_at = $1, requested = CASE WHEN requested = {REQUEST_LEASED} THEN {REQUESTED} ELSE 0 END \
             WHERE registry_id = $2 AND tool_id = $3 AND next_at > 0 AND requested <> {REQUESTED}"
        ),
        JobKind::Access => "UPDATE tools SET access_at = $1 WHERE registry_id = $2 AND tool_id = $3 AND access_at > 0".to_owned(),
    };
    sqlx::query(AssertSqlSafe(release))
        .bind(int(next_at).max(1))
        .bind(registry)
        .bind(&id_bytes(key.id)[..])
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn request_verification(
    store: &Store,
    key: ToolKey,
    now: u64,
) -> Result<bool, Error> {
    let mut transaction = store.begin().await?;
    let Some(registry) = registry_id(&mut transaction, key.registry).await? else {
        return Ok(false);
    };
    let request = format!(
        "UPDATE tools SET next_at = CASE WHEN next_at > $1 THEN $1 ELSE next_at END, \
         requested = CASE WHEN next_at > $1 THEN {REQUESTED} ELSE requested END \
         WHERE registry_id = $2 AND tool_id = $3 AND state = 0"
    );
    let updated = sqlx::query(AssertSqlSafe(request))
        .bind(int(now))
        .bind(registry)
        .bind(&id_bytes(key.id)[..])
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(updated.rows_affected() == 1)
}

pub(super) async fn store_verification(
    store: &Store,
    result: &VerificationResult,
) -> Result<bool, Error> {
    let VerificationResult {
        key,
        verification,
        manifest,
    } = result;
    let mut transaction = store.begin().await?;
    let registry = registry_id(&mut transaction, key.registry)
        .await?
        .ok_or(Error::UnknownRegistry)?;
    let id = id_bytes(key.id);
    let seq = next_seq(&mut transaction, 1).await?;
    // A tool that became due while this verification ran stays due: its metadataURI may have changed.
    let row = sqlx::query(
        "UPDATE tools SET status = $1, failing_check = $2, checked_at = $3, \
         next_at = CASE WHEN next_at = 0 OR requested = 1 THEN next_at ELSE $4 END, \
         requested = CASE WHEN requested = 1 THEN 1 ELSE 0 END, seq = $5, change = $6, changed_at = $3, fresh_until = $10 \
         WHERE registry_id = $7 AND tool_id = $8 AND manifest_hash = $9 AND uri = $11 AND creator = $12 AND state = 0 \
         RETURNING registered_at",
    )
    .bind(verification.status.code())
    .bind(verification.failing_check.map(i64::from))
    .bind(int(verification.checked_at))
    .bind(int(verification.next_at).max(1))
    .bind(seq)
    .bind(ChangeKind::Verification.code())
    .bind(registry)
    .bind(&id[..])
    .bind(&verification.manifest_hash[..])
    .bind(int(verification.fresh_until))
    .bind(verification.metadata_uri.as_bytes())
    .bind(&verification.creator[..])
    .fetch_optional(&mut *transaction)
    .await?;
    // A result about another URI, hash or creator is of no use, and must not replace one that is.
    let Some(row) = row else {
        return Ok(false);
    };
    let listing = verification.listing.as_ref().map(json).transpose()?;
    let certificate = verification.certificate.as_ref();
    sqlx::query(
        "INSERT INTO verifications (registry_id, tool_id, manifest_hash, status, failing_check, checked_at, next_at, attempts, \
         risks, listing, served_hash, certificate_issuer, certificate_not_before, diff, price_probe, report, \
         name_servers, uri, creator, fresh_until) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
         ON CONFLICT (registry_id, tool_id, manifest_hash) DO UPDATE SET uri = excluded.uri, creator = excluded.creator, \
         fresh_until = excluded.fresh_until, status = excluded.status, \
         failing_check = excluded.failing_check, checked_at = excluded.checked_at, next_at = excluded.next_at, \
         attempts = excluded.attempts, risks = excluded.risks, listing = excluded.listing, \
         served_hash = excluded.served_hash, certificate_issuer = excluded.certificate_issuer, \
         certificate_not_before = excluded.certificate_not_before, diff = excluded.diff, \
         price_probe = excluded.price_probe, report = excluded.report, name_servers = excluded.name_servers",
    )
    .bind(registry)
    .bind(&id[..])
    .bind(&verification.manifest_hash[..])
    .bind(verification.status.code())
    .bind(verification.failing_check.map(i64::from))
    .bind(int(verification.checked_at))
    .bind(int(verification.next_at))
    .bind(i64::from(verification.attempts))
    .bind(json(&verification.risks)?)
    .bind(listing)
    .bind(verification.served_hash.as_ref().map(|hash| hash.as_slice()))
    .bind(certificate.map(|certificate| certificate.issuer.as_bytes()))
    .bind(certificate.map(|certificate| int(certificate.not_before)))
    .bind(verification.diff.as_ref().map(String::as_bytes))
    .bind(verification.price_probe.as_ref().map(String::as_bytes))
    .bind(verification.report.as_bytes())
    .bind(verification.name_servers.as_ref().map(|names| names.join(" ").into_bytes()))
    .bind(verification.metadata_uri.as_bytes())
    .bind(&verification.creator[..])
    .bind(int(verification.fresh_until))
    .execute(&mut *transaction)
    .await?;
    if let Some(manifest) = manifest {
        sqlx::query(
            "INSERT INTO manifests (hash, content) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(&verification.manifest_hash[..])
        .bind(manifest.as_slice())
        .execute(&mut *transaction)
        .await?;
    }
    let registered_at = Columns::new(&row).int()?;
    sqlx::query("DELETE FROM tool_tags WHERE registry_id = $1 AND tool_id = $2")
        .bind(registry)
        .bind(&id[..])
        .execute(&mut *transaction)
        .await?;
    if let Some(listing) = &verification.listing {
        insert_tags(&mut transaction, registry, &id, registered_at, listing).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

pub(super) async fn store_access(store: &Store, result: &AccessResult) -> Result<bool, Error> {
    let AccessResult {
        key,
        access,
        facts,
        terms,
    } = result;
    let mut transaction = store.begin().await?;
    let registry = registry_id(&mut transaction, key.registry)
        .await?
        .ok_or(Error::UnknownRegistry)?;
    let id = id_bytes(key.id);
    let seq = next_seq(&mut transaction, 1).await?;
    sqlx::query(
        "INSERT INTO predicates (chain_id, address, facts) VALUES ($1, $2, $3) \
         ON CONFLICT (chain_id, address) DO UPDATE SET facts = excluded.facts",
    )
    .bind(int(key.registry.chain_id))
    .bind(&access.predicate[..])
    .bind(json(facts)?)
    .execute(&mut *transaction)
    .await?;
    // An event during the evaluation made it due again.
    let updated = sqlx::query(
        "UPDATE tools SET access_type = $1, always_denies = $2, access_at = CASE WHEN access_at = 0 THEN 0 ELSE NULL END, \
         seq = $3, change = $4, changed_at = $5, terms_upgraded_at = $6 \
         WHERE registry_id = $7 AND tool_id = $8 AND predicate = $9 AND state <> 2",
    )
    .bind(access.access_type.code())
    .bind(i64::from(access.always_denies))
    .bind(seq)
    .bind(ChangeKind::Access.code())
    .bind(int(access.checked_at))
    .bind(terms.iter().filter_map(|term| term.upgraded_at).max().map(int))
    .bind(registry)
    .bind(&id[..])
    .bind(&access.predicate[..])
    .execute(&mut *transaction)
    .await?;
    let mut has_new_terms = false;
    if updated.rows_affected() == 1 {
        has_new_terms = replace_terms(&mut transaction, registry, &id, terms).await?;
        sqlx::query(
            "INSERT INTO tool_access (registry_id, tool_id, predicate, access_type, always_denies, checked_at, requirements) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (registry_id, tool_id) DO UPDATE SET \
             predicate = excluded.predicate, access_type = excluded.access_type, always_denies = excluded.always_denies, \
             checked_at = excluded.checked_at, requirements = excluded.requirements",
        )
        .bind(registry)
        .bind(&id[..])
        .bind(&access.predicate[..])
        .bind(access.access_type.code())
        .bind(i64::from(access.always_denies))
        .bind(int(access.checked_at))
        .bind(access.requirements.as_bytes())
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    Ok(has_new_terms)
}

/// Stores the predicates that the predicate of a tool combines, and returns whether there are new ones.
async fn replace_terms(
    connection: &mut Connection,
    registry: i64,
    id: &[u8; 32],
    terms: &[PredicateTerm],
) -> Result<bool, Error> {
    let rows = sqlx::query(
        "DELETE FROM predicate_terms WHERE registry_id = $1 AND tool_id = $2 RETURNING predicate",
    )
    .bind(registry)
    .bind(&id[..])
    .fetch_all(&mut *connection)
    .await?;
    let before: Vec<Address> = rows
        .iter()
        .map(|row| Columns::new(row).address())
        .collect::<Result<_, _>>()?;
    for term in terms {
        sqlx::query(
            "INSERT INTO predicate_terms (registry_id, tool_id, predicate) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(registry)
        .bind(&id[..])
        .bind(&term.predicate[..])
        .execute(&mut *connection)
        .await?;
    }
    Ok(terms.iter().any(|term| !before.contains(&term.predicate)))
}

pub(super) async fn request_evaluation(
    store: &Store,
    key: RegistryKey,
    predicates: &[Address],
) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    for predicate in predicates {
        mark_predicate(&mut transaction, int(key.chain_id), *predicate).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Makes evaluations due of the tools of a chain whose predicate is, or combines, this one.
pub(super) async fn mark_predicate(
    connection: &mut Connection,
    chain_id: i64,
    predicate: Address,
) -> Result<(), Error> {
    sqlx::query(
        "UPDATE tools SET access_at = 0 WHERE state = 0 AND predicate = $1 \
         AND registry_id IN (SELECT id FROM registries WHERE chain_id = $2)",
    )
    .bind(&predicate[..])
    .bind(chain_id)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "UPDATE tools SET access_at = 0 WHERE state = 0 AND predicate IS NOT NULL AND (registry_id, tool_id) IN \
         (SELECT registry_id, tool_id FROM predicate_terms WHERE predicate = $1) \
         AND registry_id IN (SELECT id FROM registries WHERE chain_id = $2)",
    )
    .bind(&predicate[..])
    .bind(chain_id)
    .execute(&mut *connection)
    .await?;
    Ok(())
}
