//! ENS TXT records of a card: the six keys of section 9, and what they say about a card.
//!
//! Reading them is for a resolver; here they are compared with the card and its bytes.

use std::collections::BTreeMap;

use atr_ids::{HttpsUrl, excerpt};
use atr_manifest::Document;
use serde::Serialize;

use crate::{
    Card, Check, Checksum, Config, Finding, Profile, Status,
    bridge::Registration,
    cid::{self, Cid, IpfsPath},
    report::validate,
};

/// x402 entry.
pub const ENTRY: &str = "cl.entry";
/// https URL of the card.
pub const CARD_URL: &str = "cl.agentcard";
/// CID of the card, or of a folder that contains it.
pub const CID: &str = "cl.cid.agentcard";
/// IPFS location of the card.
pub const MIRROR: &str = "cl.agentcard.mirror.ipfs";
/// SHA-256 of the card's bytes.
pub const CHECKSUM: &str = "cl.checksum.agentcard";
/// Owner of the card.
pub const OWNER: &str = "cl.owner";

/// The keys that a card's name must publish (P-12), in the order of the specification.
pub const KEYS: [&str; 6] = [ENTRY, CARD_URL, CID, MIRROR, CHECKSUM, OWNER];

/// Keys of the schemas. They belong to the names of Protocol-Commons (P-14). ENS cannot list keys, so a resolver asks for these.
pub const SCHEMA_KEYS: [&str; 9] = [
    "cl.schema.request",
    "cl.schema.receipt",
    "cl.schemas.mirror.ipfs",
    "cl.cid.schemas",
    "cl.cid.schema.request",
    "cl.cid.schema.receipt",
    "cl.checksum.request",
    "cl.checksum.receipt",
    "cl.checksum.schemas",
];

/// Prefix of records with signatures and public keys. They are reported, not verified.
pub const SIGNATURE_PREFIX: &str = "cl.sig.";

/// The records of that prefix that the runtimes of CommandLayer publish. A resolver asks for these.
pub const SIGNATURE_KEYS: [&str; 3] = ["cl.sig.kid", "cl.sig.pub", "cl.sig.canonical"];

/// The ERC-8257 tool that an agent offers, for all verbs of its card, as `eip155:<chain>/erc8257:<registry>/<id>`. A key of this
/// project: it is no part of the specification.
pub const TOOL: &str = "erc8257.tool";

/// The tool for one verb. It takes precedence over [`TOOL`].
#[must_use]
pub fn tool_key(verb: &str) -> String {
    format!("{TOOL}.{verb}")
}

/// The record by which a name confirms that it is the agent of a registry (ENSIP-25). Any value confirms it. `None` if the registry
/// is not on an EVM chain.
#[must_use]
pub fn registration_key(registration: &Registration) -> Option<String> {
    let registry = &registration.agent_registry;
    let chain: u64 = registry.chain().strip_prefix("eip155:")?.parse().ok()?;
    let address = registry.address().strip_prefix("0x")?.to_lowercase();
    let bytes = chain.to_be_bytes();
    let zeros = usize::try_from(chain.leading_zeros() / 8).ok()?;
    let chain: String = bytes[zeros..]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // ERC-7930, version 1: chain type, length and id of the chain, length and bytes of the address.
    let registry = format!("0x00010000{:02x}{chain}14{address}", bytes.len() - zeros);
    Some(format!(
        "agent-registration[{registry}][{}]",
        registration.agent_id
    ))
}

/// The answer to a lookup of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The record's value.
    Value(String),
    /// The name has no such record. An empty value counts as none.
    Missing,
    /// The lookup failed.
    #[expect(missing_docs, reason = "plain data")]
    Unknown { reason: String },
}

/// The records of a name, by key. A key that is not in the map was not looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records(BTreeMap<String, Lookup>);

impl Records {
    /// Adds the answer for a key.
    pub fn insert(&mut self, key: impl Into<String>, lookup: Lookup) {
        let lookup = match lookup {
            Lookup::Value(value) if value.is_empty() => Lookup::Missing,
            other => other,
        };
        self.0.insert(key.into(), lookup);
    }

    /// The value of a key.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            Lookup::Value(value) => Some(value),
            Lookup::Missing | Lookup::Unknown { .. } => None,
        }
    }

    /// Whether a key has a value, whatever it is.
    #[must_use]
    pub fn presence(&self, key: &str) -> Check {
        match self.0.get(key) {
            Some(Lookup::Value(_)) => Check::Match,
            Some(Lookup::Missing) => Check::Mismatch {
                found: "no record".to_owned(),
                expected: format!("a record {key}"),
            },
            Some(Lookup::Unknown { reason }) => Check::unknown(excerpt(reason)),
            None => Check::unknown("the record was not looked up"),
        }
    }

    /// All keys that have a value, with it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.with_prefix("")
    }

    fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter();
        let named = all.filter(move |(key, _)| key.starts_with(prefix));
        named.filter_map(|(key, _)| Some((key.as_str(), self.value(key)?)))
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Records {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(records: I) -> Self {
        let mut all = Self::default();
        for (key, value) in records {
            all.insert(key, Lookup::Value(value.into()));
        }
        all
    }
}

/// What a resolver fetched for a name.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The normalized ENS name that was resolved.
    pub name: &'a str,
    /// The card's bytes as served, or why there are none.
    pub bytes: Result<&'a [u8], &'a str>,
    /// The URL that served them, if they came from a URL.
    pub url: Option<&'a HttpsUrl>,
    /// A CAR with the blocks from the published CID to the card, if one was fetched.
    pub car: Option<&'a [u8]>,
}

/// Whether name and card belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binding {
    /// The verdict.
    pub trust: Trust,
    /// One comparison for each key and for the name, and the verdict on the card.
    pub checks: Vec<BindingCheck>,
    /// Records that do not belong on the name of a card (P-14). They do not change the verdict.
    pub schema_keys: Vec<String>,
    /// Records under `cl.sig.`, as published.
    pub signatures: BTreeMap<String, String>,
    /// Why the card is invalid, for the profile that was asked for.
    pub violations: Vec<Finding>,
    /// Findings of that profile that do not make the card invalid.
    pub warnings: Vec<Finding>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BindingCheck {
    /// The key of the record, or `ens` or `card`.
    pub subject: String,
    /// The outcome.
    #[serde(flatten)]
    pub check: Check,
}

/// Three outcomes of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Everything was compared and matches.
    Trusted,
    /// At least one record is missing or differs, or the card is invalid.
    Untrusted,
    /// Nothing differs, but not everything could be compared.
    Unknown,
}

impl Trust {
    /// The verdict of several comparisons.
    pub fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        checks
            .into_iter()
            .fold(Self::Trusted, |trust, check| match (trust, check) {
                (Self::Untrusted, _) | (_, Check::Mismatch { .. }) => Self::Untrusted,
                (_, Check::Unknown { .. }) | (Self::Unknown, _) => Self::Unknown,
                (Self::Trusted, Check::Match) => Self::Trusted,
            })
    }
}

impl Binding {
    /// The comparisons that differ.
    pub fn mismatches(&self) -> impl Iterator<Item = &BindingCheck> {
        self.checks.iter().filter(|one| one.check.is_mismatch())
    }
}

/// Compares records, card and bytes (P-12 to P-16). Every difference is reported.
#[must_use]
pub fn check(
    records: &Records,
    evidence: Evidence<'_>,
    profile: Profile,
    config: &Config,
) -> Binding {
    let mut checks = Vec::new();
    let mut add = |subject: &str, check: Check| {
        checks.push(BindingCheck {
            subject: subject.to_owned(),
            check,
        });
    };
    let document = evidence.bytes.map(Document::parse);
    let card = match &document {
        Ok(Ok(document)) => Some(Card::new(document)),
        _ => None,
    };
    let mut violations = Vec::new();
    let mut warnings = Vec::new();
    match &document {
        Ok(Ok(document)) => {
            let mut report = validate(document, config).profiles;
            report.retain(|one| one.profile == profile);
            let report = report.pop().expect("a report has every profile");
            let check = match report.status {
                Status::Satisfied => Check::Match,
                Status::Violated => Check::Mismatch {
                    found: format!("{} violations", report.violations.len()),
                    expected: format!("a card that satisfies the profile {profile}"),
                },
                Status::Unknown => Check::unknown("the card is too costly to validate"),
            };
            add("card", check);
            violations = report.violations;
            warnings = report.warnings;
        }
        Ok(Err(error)) => {
            add(
                "card",
                Check::Mismatch {
                    found: error.to_string(),
                    expected: "a JSON document".to_owned(),
                },
            );
            violations.push(Finding::from(error));
        }
        Err(reason) => add("card", Check::unknown(*reason)),
    }
    match evidence.bytes {
        Ok(_) => {
            let ens = card.and_then(Card::ens).unwrap_or_default();
            add("ens", Check::exact(ens, evidence.name));
        }
        Err(reason) => add("ens", Check::unknown(reason)),
    }
    for key in KEYS {
        let check = match (records.0.get(key), evidence.bytes) {
            (Some(Lookup::Value(value)), Ok(bytes)) => {
                compare(key, value, records, card, bytes, evidence)
            }
            (Some(Lookup::Value(_)), Err(_)) => Check::unknown("there is no card to compare with"),
            (Some(Lookup::Missing), _) => Check::Mismatch {
                found: "no record".to_owned(),
                expected: "a record of the card".to_owned(),
            },
            (Some(Lookup::Unknown { reason }), _) => Check::unknown(excerpt(reason)),
            (None, _) => Check::unknown("the record was not looked up"),
        };
        add(key, check);
    }
    let schema_keys = SCHEMA_KEYS
        .into_iter()
        .filter(|key| records.value(key).is_some())
        .map(str::to_owned)
        .collect();
    let signatures = records
        .with_prefix(SIGNATURE_PREFIX)
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let trust = Trust::of(checks.iter().map(|one| &one.check));
    Binding {
        trust,
        checks,
        schema_keys,
        signatures,
        violations,
        warnings,
    }
}

fn compare(
    key: &str,
    value: &str,
    records: &Records,
    card: Option<Card<'_>>,
    bytes: &[u8],
    evidence: Evidence<'_>,
) -> Check {
    let member = |name: &str| card.and_then(|card| card.text(name));
    match key {
        ENTRY => Check::exact(value, member("entry").unwrap_or_default()),
        OWNER => Check::exact(value, member("owner").unwrap_or_default()),
        CHECKSUM => Checksum::verify(value, bytes),
        CARD_URL => card_url(value, member("$id"), evidence.url),
        CID => {
            let path = records.value(MIRROR).and_then(|mirror| mirror.parse().ok());
            card_cid(value, path.as_ref(), bytes, evidence.car)
        }
        _ => mirror(value, records.value(CID), bytes, evidence.car),
    }
}

/// The record is an https URL. It equals the card's `$id`, if that is an https URL, and the URL that served the card.
fn card_url(value: &str, id: Option<&str>, url: Option<&HttpsUrl>) -> Check {
    let parsed = match value.parse::<HttpsUrl>() {
        Ok(parsed) => parsed,
        Err(error) => {
            return Check::Mismatch {
                found: format!("{}: {error}", excerpt(value)),
                expected: "an https URL".to_owned(),
            };
        }
    };
    if let Some(id) = id.filter(|id| id.starts_with("https://"))
        && id != value
    {
        return Check::exact(value, id);
    }
    match url {
        Some(url) if *url != parsed => Check::exact(value, &url.to_string()),
        _ => Check::Match,
    }
}

fn card_cid(value: &str, mirror: Option<&IpfsPath>, bytes: &[u8], car: Option<&[u8]>) -> Check {
    let Ok(published) = Cid::try_from(value) else {
        return Check::Mismatch {
            found: excerpt(value),
            expected: "a CID".to_owned(),
        };
    };
    let alone = cid::verify(&published, bytes);
    if !alone.is_unknown() {
        return alone;
    }
    // The mirror names the path below a folder's CID.
    let mirror = mirror.filter(|mirror| cid::is_same(&mirror.cid, &published));
    match car.zip(mirror) {
        Some((car, mirror)) => cid::verify_path(&published, &mirror.path, car, bytes),
        None => alone,
    }
}

/// The mirror names the published CID, or one of the card itself.
fn mirror(value: &str, published: Option<&str>, bytes: &[u8], car: Option<&[u8]>) -> Check {
    let location = match value.parse::<IpfsPath>() {
        Ok(location) => location,
        Err(error) => {
            return Check::Mismatch {
                found: error.to_string(),
                expected: "an IPFS location of the card".to_owned(),
            };
        }
    };
    let published = published.and_then(|published| Cid::try_from(published).ok());
    let is_published = published.is_some_and(|published| cid::is_same(&location.cid, &published));
    if location.path.is_empty() {
        let check = cid::verify(&location.cid, bytes);
        if !check.is_unknown() {
            return check;
        }
    }
    match (is_published, published, car) {
        (false, Some(published), _) => {
            Check::exact(&location.cid.to_string(), &published.to_string())
        }
        (_, _, Some(car)) => cid::verify_path(&location.cid, &location.path, car, bytes),
        (_, _, None) => Check::unknown("the blocks of the mirror are needed to find the card"),
    }
}

/// The records that a card's name must have, in the order of [`KEYS`]. `None` if the card has no entry or owner.
#[must_use]
pub fn records_of(
    card: Card<'_>,
    bytes: &[u8],
    url: &HttpsUrl,
    location: &IpfsPath,
) -> Option<[(&'static str, String); 6]> {
    Some([
        (ENTRY, card.entry()?.to_owned()),
        (CARD_URL, url.to_string()),
        (CID, location.cid.to_string()),
        (MIRROR, location.to_string()),
        (CHECKSUM, Checksum::of(bytes).to_string()),
        (OWNER, card.owner()?.to_owned()),
    ])
}
