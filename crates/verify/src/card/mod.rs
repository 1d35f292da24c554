//! Resolves Agent Cards: from an ENS name to its TXT records, the card, and the schemas of its verb, and compares all of them.
//!
//! Nothing is assumed of the card's servers. What could not be checked is unknown, never a mismatch.

mod ipfs;
mod schemas;
mod tools;
mod verdict;

use std::sync::Arc;

use atr_agent_card::{
    Card, Check, Config, Profile,
    bridge::Registration,
    cid::{self, IpfsPath},
    txt::{
        self, CARD_URL, Evidence, KEYS, Lookup, MIRROR, Records, SCHEMA_KEYS, SIGNATURE_KEYS, Trust,
    },
};
use atr_fetch::SafeHttpClient;
use atr_ids::HttpsUrl;
use atr_manifest::Document;
use atr_rpc::{Ens, EnsError, EnsName, NameResolver};
use futures_util::{StreamExt, TryStreamExt, stream};

pub use self::{
    ipfs::{Ipfs, IpfsGateway},
    tools::{CARD_MEMBER, ToolRecord, named_card},
    verdict::{CardCheck, CardSummary, CardVerdict, Mismatch, TrustedCard, TxtRecord},
};

/// Lookups at the same time.
const CONCURRENCY: usize = 4;

/// Resolves cards of names on one chain.
#[derive(Debug)]
pub struct CardResolver<'a> {
    ens: Ens<'a>,
    http: SafeHttpClient,
    ipfs: Ipfs,
    profile: Profile,
    config: Config,
}

impl<'a> CardResolver<'a> {
    /// Cards and mirrors are fetched with this client. The profile decides whether a card is valid.
    #[must_use]
    pub const fn new(
        ens: Ens<'a>,
        http: SafeHttpClient,
        ipfs: Ipfs,
        profile: Profile,
        config: Config,
    ) -> Self {
        Self {
            ens,
            http,
            ipfs,
            profile,
            config,
        }
    }

    /// Resolves the card of a name. With a registration, the name must confirm that it is this agent (ENSIP-25).
    ///
    /// # Errors
    ///
    /// When the node does not respond. Everything else is part of the verdict.
    pub async fn resolve(
        &self,
        name: &EnsName,
        registration: Option<&Registration>,
    ) -> Result<CardVerdict, atr_rpc::Error> {
        let resolver = match self.ens.resolver(name).await {
            Ok(resolver) => Ok(resolver),
            Err(EnsError::Rpc(error)) => return Err(error),
            Err(error) => Err(error),
        };
        let keys = KEYS.iter().chain(&SCHEMA_KEYS).chain(&SIGNATURE_KEYS);
        let mut keys: Vec<String> = keys.map(|key| (*key).to_owned()).collect();
        let registration = registration.map(txt::registration_key);
        keys.extend(registration.clone().flatten());
        keys.push(txt::TOOL.to_owned());
        let mut records = Records::default();
        look_up(&resolver, keys, &mut records).await?;

        let fetched = self.fetch_card(&records).await;
        let document = fetched.bytes.as_ref().ok();
        let document = document.and_then(|bytes| Document::parse(bytes.as_slice()).ok());
        let card = document.as_ref().map(Card::new);
        let evidence = Evidence {
            name: name.as_str(),
            bytes: fetched.bytes.as_deref().map_err(String::as_str),
            url: fetched.url.as_ref(),
            car: fetched.car.as_deref(),
        };
        let binding = txt::check(&records, evidence, self.profile, &self.config);
        let mut checks: Vec<_> = binding.checks.into_iter().map(CardCheck::from).collect();
        if let Some(reason) = &fetched.url_failure {
            for check in &mut checks {
                // The record is a URL, but whether it has the card is not known.
                if check.subject == CARD_URL && check.check.is_match() {
                    check.check = unknown(reason);
                }
            }
        }
        if let Some(key) = registration {
            let check = registration_check(key.as_deref(), &records);
            checks.push(CardCheck::new("agent-registration", check));
        }
        let mut receipt_schema = None;
        let mut tools = Vec::new();
        if let Some(card) = card {
            let schemas = schemas::resolve(card, &self.ipfs, &self.http).await;
            checks.extend(schemas.checks);
            receipt_schema = schemas.receipt.map(Arc::new);
            let keys = tools::keys(card);
            look_up(&resolver, keys.collect(), &mut records).await?;
            tools = tools::read(card, &records);
        }
        for check in &mut checks {
            check.set_code(&records);
        }
        let resolver = resolver.ok();
        Ok(CardVerdict {
            name: name.to_string(),
            trust: Trust::of(checks.iter().map(|check| &check.check)),
            profile: self.profile,
            resolver: resolver.as_ref().map(NameResolver::address),
            is_wildcard: resolver.is_some_and(|resolver| resolver.is_parents()),
            card: card.map(CardSummary::new),
            sha256: evidence
                .bytes
                .ok()
                .map(|bytes| atr_agent_card::Checksum::of(bytes).to_string()),
            checks,
            violations: binding.violations,
            warnings: binding.warnings,
            tools,
            schema_keys: binding.schema_keys,
            signatures: binding
                .signatures
                .iter()
                .map(|(key, value)| TxtRecord::new(key, value))
                .collect(),
            records: records
                .iter()
                .map(|(key, value)| TxtRecord::new(key, value))
                .collect(),
            receipt_schema,
        })
    }

    /// The card from its URL, else from IPFS, and the blocks that prove its CID.
    async fn fetch_card(&self, records: &Records) -> Fetched {
        let url = records.value(CARD_URL).map(str::parse::<HttpsUrl>);
        let url = url.and_then(Result::ok);
        let served = match &url {
            Some(url) => {
                let served = self.http.fetch_document(url).await;
                served.map_err(|error| format!("the card cannot be fetched: {error}"))
            }
            None => Err("there is no https URL of the card".to_owned()),
        };
        let mirror = records.value(MIRROR);
        let mirror = mirror.and_then(|mirror| mirror.parse::<IpfsPath>().ok());
        let is_decided = |mirror: &IpfsPath, bytes: &[u8]| {
            mirror.path.is_empty() && !cid::verify(&mirror.cid, bytes).is_unknown()
        };
        let mut fetched = Fetched {
            url_failure: served.as_ref().err().cloned(),
            url,
            bytes: served,
            car: None,
        };
        let Some(mirror) = mirror else {
            return fetched;
        };
        match &fetched.bytes {
            Ok(bytes) if is_decided(&mirror, bytes) => {}
            Ok(_) => match self.ipfs.car(&mirror).await {
                Ok(car) => fetched.car = Some(car),
                Err(reason) => tracing::info!(%reason, "no blocks of the card"),
            },
            Err(_) => {
                if let Ok(bytes) = self.ipfs.file(&mirror).await {
                    fetched.bytes = Ok(bytes);
                    fetched.car = self.ipfs.car(&mirror).await.ok();
                }
            }
        }
        fetched
    }
}

/// What was fetched of a card.
struct Fetched {
    url: Option<HttpsUrl>,
    /// Why the URL did not serve the card.
    url_failure: Option<String>,
    bytes: Result<Vec<u8>, String>,
    car: Option<Vec<u8>>,
}

fn unknown(reason: &str) -> Check {
    Check::Unknown {
        reason: atr_ids::sanitize(reason),
    }
}

fn registration_check(key: Option<&str>, records: &Records) -> Check {
    match key {
        None => unknown("the identity registry is not on an EVM chain"),
        Some(key) => records.presence(key),
    }
}

/// Reads records. Only errors of the node end it.
async fn look_up(
    resolver: &Result<NameResolver<'_, '_>, EnsError>,
    keys: Vec<String>,
    records: &mut Records,
) -> Result<(), atr_rpc::Error> {
    let resolver = match resolver {
        Ok(resolver) => resolver,
        Err(error) => {
            for key in keys {
                let lookup = match error {
                    EnsError::NoResolver => Lookup::Missing,
                    error => Lookup::Unknown {
                        reason: error.to_string(),
                    },
                };
                records.insert(key, lookup);
            }
            return Ok(());
        }
    };
    let read = |key: String| async move {
        let lookup = match resolver.text(&key).await {
            Ok(value) => Lookup::Value(value),
            Err(EnsError::Rpc(error)) => return Err(error),
            Err(EnsError::NoResolver) => Lookup::Missing,
            Err(error) => Lookup::Unknown {
                reason: error.to_string(),
            },
        };
        Ok((key, lookup))
    };
    let lookups = stream::iter(keys).map(read).buffer_unordered(CONCURRENCY);
    let lookups: Vec<_> = lookups.try_collect().await?;
    for (key, lookup) in lookups {
        records.insert(key, lookup);
    }
    Ok(())
}
