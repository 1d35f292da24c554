//! Verifies tools of the queue.

use std::{net::IpAddr, sync::Mutex};

use atr_fetch::SafeHttpClient;
use atr_ids::{MetadataUri, ToolRef, excerpt_with_limit};
use atr_manifest::{Document, Kind, Value};
use atr_registry::{Registry, ToolState};
use atr_store::index::{
    Certificate, EventKind, IndexStore, Job, Listing, Risk, StoredEvent, ToolState as IndexedState,
    Verification, VerificationResult, VerificationStatus,
};
use atr_verify::{Freshness, ManifestSource, Status, Surface, Verdict, Verifier};
use serde::Serialize;
use serde_json::json;

use crate::{Error, Indexer, VerificationOptions, access, listing::listing, price_probe};

/// Risks are shown for this time, in seconds.
const RISK_SECONDS: u64 = 90 * 24 * 60 * 60;

/// Seconds until a tool is looked at again whose event the index does not have yet.
const BEHIND_DELAY: u64 = 5;

/// Members of a diff, and characters of a value.
const MAX_DIFFERENCES: usize = 40;
const MAX_VALUE_CHARACTERS: usize = 160;

/// Keeps what the verifier fetched.
#[derive(Debug)]
struct Recorder<'a> {
    client: &'a SafeHttpClient,
    fetched: Mutex<Option<Fetched>>,
    /// An address that is not public. Reports are public, so they do not name it.
    forbidden: Mutex<Option<IpAddr>>,
}

#[derive(Debug)]
struct Fetched {
    bytes: Vec<u8>,
    certificate: Option<Certificate>,
}

impl ManifestSource for &Recorder<'_> {
    async fn manifest(&self, uri: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        let fetched = self
            .client
            .fetch_document_with_certificate(&uri.to_url())
            .await;
        if let Err(atr_fetch::Error::ForbiddenAddress { address, .. }) = &fetched
            && let Ok(mut slot) = self.forbidden.lock()
        {
            tracing::info!(%uri, %address, "a manifest URL resolves to an address that is not public");
            *slot = Some(*address);
        }
        let (bytes, certificate) = fetched?;
        let fetched = Fetched {
            bytes: bytes.clone(),
            certificate: certificate.map(|certificate| Certificate {
                issuer: certificate.issuer,
                not_before: certificate.not_before,
            }),
        };
        if let Ok(mut slot) = self.fetched.lock() {
            *slot = Some(fetched);
        }
        Ok(bytes)
    }
}

/// Verifies the tool of a job and stores the result; `None` if the registry has no such tool any more.
pub(crate) async fn run(
    indexer: &Indexer,
    registry: &Registry,
    job: &Job,
) -> Result<Option<VerificationStatus>, Error> {
    let options = indexer.options.verification.clone().unwrap_or_default();
    let tool = ToolRef::try_new(
        job.key.registry.chain_id,
        job.key.registry.address,
        job.key.id,
    );
    let tool = match tool {
        Ok(tool) => tool,
        Err(error) => {
            tracing::warn!(%error, "a tool without a valid reference");
            return Ok(None);
        }
    };
    let recorder = Recorder {
        client: &indexer.http,
        fetched: Mutex::new(None),
        forbidden: Mutex::new(None),
    };
    let verifier = Verifier::try_new(
        registry.clone(),
        &recorder,
        Freshness::new(options.max_age, Surface::Invoking),
    )?;
    let (verdict, name_servers) = tokio::join!(
        verifier.verify(tool, None, indexer.now()),
        name_servers(indexer, &job.metadata_uri)
    );
    let verdict = verdict?.without_manifest();
    if !is_of(&verdict, job) {
        return index_behind_chain(indexer, registry, job, &verdict)
            .await
            .map(Some);
    }
    indexer.missing.resolve(job.key);
    let status = match verdict.status() {
        Status::Verified => VerificationStatus::Verified,
        Status::Failed => VerificationStatus::Failed,
        Status::Unknown | Status::Deregistered | Status::NeverRegistered => {
            VerificationStatus::Unknown
        }
    };
    let manifest_hash = job.manifest_hash;
    let window = verdict.evidence().window;
    let window = window.map_or(options.max_age, |window| window.seconds);
    let forbidden = recorder.forbidden.into_inner().ok().flatten();
    let mut report = serde_json::to_string(&verdict).unwrap_or_default();
    if let Some(address) = forbidden {
        report = report.replace(&format!("resolves to {address}"), "resolves to an address");
    }
    let fetched = recorder.fetched.into_inner().ok().flatten();
    let (bytes, certificate) = fetched.map_or((None, None), |fetched| {
        (Some(fetched.bytes), fetched.certificate)
    });
    let listing = bytes.as_deref().and_then(listing);
    let served_hash = verdict.evidence().served_hash;
    let is_registered = served_hash == Some(manifest_hash);
    let checked_at = verdict.evidence().checked_at;
    let history = indexer.store.registry_history(job.key).await?;
    let diff = diff(indexer.store.as_ref(), job, &verdict, bytes.as_deref()).await?;
    let price_probe = match &listing {
        Some(listing) if options.probes_prices && status == VerificationStatus::Verified => {
            price_probe::run(&indexer.http, listing, job.predicate.is_some()).await
        }
        _ => None,
    };
    let attempts = if status == VerificationStatus::Unknown {
        job.attempts + 1
    } else {
        0
    };
    let verification = Verification {
        metadata_uri: job.metadata_uri.clone(),
        manifest_hash,
        creator: job.creator,
        status,
        failing_check: verdict.failing().map(|check| check.number()),
        report,
        checked_at,
        fresh_until: checked_at.saturating_add(window),
        next_at: checked_at.saturating_add(delay(&options, status, attempts, window)),
        attempts,
        served_hash,
        risks: risks(
            &options,
            job,
            &history,
            certificate.as_ref(),
            name_servers.as_deref(),
            checked_at,
        ),
        // An inconclusive fetch says nothing about the certificate or the content.
        certificate: certificate.or_else(|| job.previous.as_ref()?.certificate.clone()),
        name_servers: name_servers.or_else(|| job.previous.as_ref()?.name_servers.clone()),
        listing: listing.or_else(|| earlier_listing(job, manifest_hash, status)),
        diff,
        price_probe,
    };
    let manifest = bytes.filter(|_| is_registered);
    let result = VerificationResult {
        key: job.key,
        verification,
        manifest,
    };
    indexer.store.store_verification(&result).await?;
    // A predicate can change without an event that is followed. Its evaluation has its own job, so a failure concerns only that.
    if let Err(error) = access::run(indexer, registry, job).await {
        tracing::warn!(tool = ?job.key, %error, "the predicate was not evaluated");
    }
    Ok(Some(status))
}

/// Whether a verdict is about the tool as the index has it.
fn is_of(verdict: &Verdict, job: &Job) -> bool {
    let evidence = verdict.evidence();
    evidence.metadata_uri.as_deref() == Some(job.metadata_uri.as_str())
        && evidence.registered_hash == Some(job.manifest_hash)
        && evidence.creator == Some(job.creator)
}

/// The registry says something else about a tool than the index: the tool is unknown at once. Either the event follows, or the node left
/// it out, and the follower reads it again.
async fn index_behind_chain(
    indexer: &Indexer,
    registry: &Registry,
    job: &Job,
    verdict: &Verdict,
) -> Result<VerificationStatus, Error> {
    let observed = match verdict.status() {
        Status::Deregistered => "the registry says that the tool is deregistered",
        Status::NeverRegistered => "the registry says that there is no such tool",
        _ => "the registry has another metadataURI, manifest hash or creator",
    };
    let skipped = |number: u8, check: &str| {
        json!({ "number": number, "check": check, "outcome": "skipped",
            "reason": "the index does not have the present registration" })
    };
    let report = json!({
        "checks": [
            { "number": 1, "check": "fetch", "outcome": "inconclusive", "code": "index-behind-chain", "observed": observed,
              "expected": "the registration that the events of the index give",
              "cause": "an event was not read yet, or the node left it out", "fix": "wait until the index has the event" },
            skipped(2, "origin"), skipped(3, "hash"), skipped(4, "creator"),
        ],
        "rules": null,
    });
    let now = indexer.now();
    let previous = job.previous.as_ref();
    let verification = Verification {
        metadata_uri: job.metadata_uri.clone(),
        manifest_hash: job.manifest_hash,
        creator: job.creator,
        status: VerificationStatus::Unknown,
        failing_check: Some(1),
        report: report.to_string(),
        checked_at: now,
        fresh_until: now,
        next_at: now + BEHIND_DELAY,
        attempts: job.attempts + 1,
        served_hash: None,
        risks: previous.map_or_else(Vec::new, |previous| previous.risks.clone()),
        certificate: previous.and_then(|previous| previous.certificate.clone()),
        name_servers: previous.and_then(|previous| previous.name_servers.clone()),
        listing: earlier_listing(job, job.manifest_hash, VerificationStatus::Unknown),
        diff: None,
        price_probe: None,
    };
    let result = VerificationResult {
        key: job.key,
        verification,
        manifest: None,
    };
    indexer.store.store_verification(&result).await?;
    if is_missing(indexer, registry, job).await? {
        indexer.missing.report(job.key, job.updated.number);
    }
    Ok(VerificationStatus::Unknown)
}

/// Whether the index differs from the registry at the block up to which it was read: then an event is missing. Not if the node does not
/// have that state any more.
async fn is_missing(indexer: &Indexer, registry: &Registry, job: &Job) -> Result<bool, Error> {
    let (store, key) = (&indexer.store, job.key.registry);
    let record = store.registry(key).await?;
    let Some((version, tip)) = record.and_then(|record| Some((record.version, record.tip?))) else {
        return Ok(false);
    };
    let Some(state) = registry.tool_at(job.key.id, tip.hash).await? else {
        return Ok(false);
    };
    let tool = store.tool(job.key).await?;
    let is_same = match (tool.filter(|tool| tool.state == IndexedState::Live), state) {
        (Some(tool), ToolState::Live(config)) => {
            tool.metadata_uri == config.metadata_uri
                && tool.manifest_hash == config.manifest_hash
                && tool.creator == config.creator
        }
        (Some(_), ToolState::Deregistered | ToolState::NeverRegistered) => false,
        (None, _) => true,
    };
    let after = store.registry(key).await?.map(|record| record.version);
    Ok(!is_same && after == Some(version))
}

/// The name servers of the manifest's host; `None` if they are not known.
async fn name_servers(indexer: &Indexer, uri: &str) -> Option<Vec<String>> {
    let uri: MetadataUri = uri.parse().ok()?;
    match indexer.http.name_servers(&uri.to_url()).await {
        Ok(names) => names,
        Err(error) => {
            tracing::debug!(%error, "the name servers are not known");
            None
        }
    }
}

/// The last known listing, while the manifest cannot be fetched.
fn earlier_listing(
    job: &Job,
    hash: alloy_primitives::B256,
    status: VerificationStatus,
) -> Option<Listing> {
    let previous = job.previous.as_ref()?;
    let is_same = previous.manifest_hash == hash && status == VerificationStatus::Unknown;
    previous.listing.clone().filter(|_| is_same)
}

/// Seconds until the next verification: half the time for which a conclusive result counts.
fn delay(
    options: &VerificationOptions,
    status: VerificationStatus,
    attempts: u32,
    window: u64,
) -> u64 {
    if status != VerificationStatus::Unknown {
        return (window / 2).max(options.retry_delay);
    }
    let factor = 1_u64 << attempts.saturating_sub(1).min(20);
    options
        .retry_delay
        .saturating_mul(factor)
        .min(options.max_age)
}

/// K-12: what raises the risk of a tool whose origin may have another owner.
fn risks(
    options: &VerificationOptions,
    job: &Job,
    history: &[StoredEvent],
    certificate: Option<&Certificate>,
    name_servers: Option<&[String]>,
    now: u64,
) -> Vec<Risk> {
    let mut risks = Vec::new();
    let mut add = |code: &str, detail: String, since: u64| {
        risks.push(Risk {
            code: code.to_owned(),
            detail,
            since,
        });
    };
    let of_tool = history
        .iter()
        .filter(|stored| stored.event.kind != EventKind::Configured);
    let times: Vec<_> = of_tool
        .map(|stored| (stored.event.kind, stored.block.time))
        .collect();
    let quiet = times.windows(2).rev().find_map(|pair| {
        let [(_, before), (kind, after)] = pair else {
            return None;
        };
        let silence = after.saturating_sub(*before);
        (*kind == EventKind::MetadataUpdated && silence >= options.inactivity_period)
            .then_some((silence, *after))
    });
    if let Some((silence, since)) = quiet {
        let days = silence / (24 * 60 * 60);
        add(
            "updated-after-inactivity",
            format!("metadata changed after {days} days without an event"),
            since,
        );
    }
    let previous = job
        .previous
        .as_ref()
        .and_then(|previous| previous.certificate.as_ref());
    if let (Some(before), Some(after)) = (previous, certificate)
        && before.issuer != after.issuer
    {
        let detail = format!(
            "the certificate was issued by {}, now by {}",
            before.issuer, after.issuer
        );
        add("certificate-issuer-changed", detail, now);
    }
    if let (Some(after), Some((_, since))) = (certificate, quiet)
        && previous.is_some_and(|before| before.not_before < after.not_before)
    {
        add(
            "certificate-changed-after-long-quiet",
            "the certificate is a new one".to_owned(),
            since,
        );
    }
    let servers_before = job.previous.as_ref();
    let servers_before = servers_before.and_then(|previous| previous.name_servers.as_deref());
    // An operator adds and removes servers; another operator has none of them.
    if let (Some(before), Some(after)) = (servers_before, name_servers)
        && !after.iter().any(|server| before.contains(server))
    {
        let detail = format!(
            "the name servers were {}, now {}",
            before.join(", "),
            after.join(", ")
        );
        add("name-servers-changed", detail, now);
    }
    // Earlier risks stay for a while.
    let earlier = job.previous.iter().flat_map(|previous| &previous.risks);
    let earlier: Vec<_> = earlier
        .filter(|risk| risk.since.saturating_add(RISK_SECONDS) > now)
        .filter(|risk| risks.iter().all(|new| new.code != risk.code))
        .cloned()
        .collect();
    risks.extend(earlier);
    risks
}

/// A member of the manifest that changed.
#[derive(Debug, Serialize)]
struct MemberDifference {
    member: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// The difference to the previous manifest, as JSON.
async fn diff(
    store: &dyn IndexStore,
    job: &Job,
    verdict: &Verdict,
    bytes: Option<&[u8]>,
) -> Result<Option<String>, Error> {
    let Some(previous) = &job.previous else {
        return Ok(None);
    };
    if Some(previous.manifest_hash) == verdict.evidence().registered_hash {
        return Ok(previous.diff.clone());
    }
    let before = store.manifest(previous.manifest_hash).await?;
    let (Some(before), Some(after)) = (before, bytes) else {
        return Ok(None);
    };
    Ok(compare(&before, after).map(|changes| serde_json::to_string(&changes).unwrap_or_default()))
}

/// The members that differ; `None` if one is not an object.
fn compare(before: &[u8], after: &[u8]) -> Option<Vec<MemberDifference>> {
    let (before, after) = (Document::parse(before).ok()?, Document::parse(after).ok()?);
    let (before, after) = (before.root(), after.root());
    if before.kind() != Kind::Object || after.kind() != Kind::Object {
        return None;
    }
    let short = |text: &str| excerpt_with_limit(text, MAX_VALUE_CHARACTERS);
    let mut changes = Vec::new();
    for (name, value) in before.members() {
        let (old, new) = (text(value), after.get(name).map(text));
        if Some(&old) != new.as_ref() {
            changes.push(MemberDifference {
                member: short(name),
                before: Some(short(&old)),
                after: new.as_deref().map(short),
            });
        }
    }
    for (name, value) in after.members() {
        if before.get(name).is_none() {
            changes.push(MemberDifference {
                member: short(name),
                before: None,
                after: Some(short(&text(value))),
            });
        }
    }
    changes.truncate(MAX_DIFFERENCES);
    Some(changes)
}

/// A value as JSON. Members keep their order, so the same members in another order count as a difference.
fn text(value: Value<'_>) -> String {
    let quote = |text: &str| serde_json::to_string(text).unwrap_or_default();
    match value.kind() {
        Kind::Object => {
            let members = value.members();
            let members: Vec<_> = members
                .map(|(name, value)| format!("{}:{}", quote(name), text(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Kind::Array => {
            let elements: Vec<_> = value.elements().map(text).collect();
            format!("[{}]", elements.join(","))
        }
        Kind::String => quote(value.as_str().unwrap_or_default()),
        Kind::Number => value.number_text().unwrap_or_default().to_owned(),
        Kind::Boolean => value.as_bool().unwrap_or_default().to_string(),
        Kind::Null => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256, U256};
    use atr_store::index::{Block, Event, JobKind, RegistryKey, ToolKey};

    use super::*;

    #[test]
    fn shows_the_members_that_changed() {
        let before = br#"{ "name": "a", "price": [1, true, null], "gone": { "x": "y" } }"#;
        let after = br#"{ "price": [1.5], "name": "a", "new": "\u0000" }"#;
        let changes = serde_json::to_value(compare(before, after)).unwrap();
        assert_eq!(
            changes,
            serde_json::json!([
                { "member": "price", "before": "[1,true,null]", "after": "[1.5]" },
                { "member": "gone", "before": "{\"x\":\"y\"}" },
                { "member": "new", "after": "\"\\u0000\"" },
            ])
        );
        assert!(compare(b"[]", after).is_none());
    }

    #[test]
    fn inconclusive_results_are_repeated_with_growing_delays() {
        const DAY: u64 = 24 * 60 * 60;
        let options = VerificationOptions::default();
        let unknown = |attempts| delay(&options, VerificationStatus::Unknown, attempts, DAY);
        assert_eq!([unknown(1), unknown(2), unknown(3)], [60, 120, 240]);
        assert_eq!(unknown(100), options.max_age);
        // Again at half of the window, but not more often than a minute.
        let verified = |window| delay(&options, VerificationStatus::Verified, 0, window);
        assert_eq!([verified(DAY), verified(1)], [DAY / 2, 60]);
    }

    #[test]
    fn a_new_certificate_after_a_long_silence_raises_the_risk() {
        // K-12
        const DAY: u64 = 24 * 60 * 60;
        let stored = |kind, day: u64| StoredEvent {
            block: Block {
                number: day,
                hash: B256::ZERO,
                time: day * DAY,
            },
            event: Event {
                kind,
                log_index: 0,
                transaction: B256::ZERO,
                address: None,
                tool_id: None,
                creator: None,
                predicate: None,
                metadata_uri: None,
                uri_key: None,
                manifest_hash: None,
                data: Vec::new(),
            },
        };
        let certificate = |issuer: &str, not_before| Certificate {
            issuer: issuer.to_owned(),
            not_before,
        };
        let codes = |update_day: u64, now: &Certificate| -> Vec<String> {
            let history = [
                stored(EventKind::Registered, 0),
                stored(EventKind::MetadataUpdated, update_day),
            ];
            let job = job(certificate("CN=A", 1));
            let options = VerificationOptions::default();
            let risks = risks(&options, &job, &history, Some(now), None, update_day * DAY);
            risks.into_iter().map(|risk| risk.code).collect()
        };
        assert!(
            codes(10, &certificate("CN=A", 2)).is_empty(),
            "renewals are normal"
        );
        assert_eq!(
            codes(10, &certificate("CN=B", 2)),
            ["certificate-issuer-changed"]
        );
        assert_eq!(
            codes(400, &certificate("CN=A", 1)),
            ["updated-after-inactivity"]
        );
        assert_eq!(
            codes(400, &certificate("CN=B", 2)),
            [
                "updated-after-inactivity",
                "certificate-issuer-changed",
                "certificate-changed-after-long-quiet"
            ]
        );
    }

    #[test]
    fn other_name_servers_raise_the_risk() {
        // K-12
        let codes = |servers: Option<&[String]>| -> Vec<String> {
            let job = job(Certificate {
                issuer: String::new(),
                not_before: 1,
            });
            let options = VerificationOptions::default();
            let risks = risks(&options, &job, &[], None, servers, 5);
            risks.into_iter().map(|risk| risk.code).collect()
        };
        let names =
            |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        assert!(codes(None).is_empty(), "not known now");
        assert!(codes(Some(&names(&["b.ns.example.", "c.ns.example."]))).is_empty());
        assert_eq!(
            codes(Some(&names(&["a.evil.example."]))),
            ["name-servers-changed"]
        );
    }

    /// A job whose last verification saw a certificate and name servers.
    fn job(certificate: Certificate) -> Job {
        let registry = RegistryKey {
            chain_id: 1,
            address: Address::ZERO,
        };
        Job {
            key: ToolKey {
                registry,
                id: U256::ONE,
            },
            kind: JobKind::Verification,
            metadata_uri: String::new(),
            manifest_hash: B256::ZERO,
            predicate: None,
            updated: Block {
                number: 0,
                hash: B256::ZERO,
                time: 0,
            },
            attempts: 0,
            class: None,
            creator: Address::ZERO,
            previous: Some(Verification {
                metadata_uri: String::new(),
                creator: Address::ZERO,
                fresh_until: 0,
                manifest_hash: B256::ZERO,
                status: VerificationStatus::Verified,
                failing_check: None,
                report: String::new(),
                checked_at: 0,
                next_at: 0,
                attempts: 0,
                served_hash: None,
                certificate: Some(certificate),
                name_servers: Some(vec!["a.ns.example.".to_owned(), "b.ns.example.".to_owned()]),
                listing: None,
                diff: None,
                risks: Vec::new(),
                price_probe: None,
            }),
        }
    }
}
