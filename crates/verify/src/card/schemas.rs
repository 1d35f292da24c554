//! The schemas of a card's primary verb, their mirrors, and the documents that they refer to.

use atr_agent_card::{
    Card, Check, Class, SchemaKind, check_schema, cid::IpfsPath, compare_mirror, receipt::SchemaSet,
};
use atr_fetch::SafeHttpClient;
use atr_ids::HttpsUrl;
use atr_manifest::{Document, Value};
use atr_schema::Schema;

use super::{
    CardCheck,
    ipfs::{Ipfs, Unread},
};

/// Documents that a schema can refer to, beside itself.
const MAX_REFERENCES: usize = 16;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    pub(super) checks: Vec<CardCheck>,
    /// The receipt schema, if it could be compiled.
    pub(super) receipt: Option<Schema>,
}

/// Fetches and compares the schemas (P-06, P-07, P-19).
pub(super) async fn resolve(card: Card<'_>, ipfs: &Ipfs, http: &SafeHttpClient) -> Schemas {
    let mut schemas = Schemas::default();
    let (Some(class), Some(verb)) = (card.class(), card.primary_verb()) else {
        return schemas;
    };
    for kind in SchemaKind::ALL {
        let member = |name: &str| card.root().get(name)?.get(kind.as_str())?.as_str();
        let Some(uri) = member("schemas") else {
            continue;
        };
        let source = Source { ipfs, http };
        let canonical = source.fetch(uri).await;
        let check = match &canonical {
            Ok(bytes) => {
                let (check, schema) = source.compile(uri, bytes, (class, verb, kind)).await;
                if kind == SchemaKind::Receipt {
                    schemas.receipt = schema;
                }
                check
            }
            Err(Unread::Absent(reason)) => Check::Mismatch {
                found: reason.clone(),
                expected: format!("the {} schema of {verb}", kind.as_str()),
            },
            Err(Unread::Unknown(reason)) => unknown(reason),
        };
        let subject = format!("schemas.{}", kind.as_str());
        schemas.checks.push(CardCheck::new(subject, check));
        if let Some(mirror) = member("schemas_mirror") {
            let check = match (&canonical, source.fetch_https(mirror).await) {
                (_, Err(reason)) => unknown(&reason),
                (Err(_), Ok(_)) => unknown("the canonical schema is needed for comparison"),
                (Ok(canonical), Ok(mirror)) => compare_mirror(Some(canonical), Some(&mirror)),
            };
            let subject = format!("schemas_mirror.{}", kind.as_str());
            schemas.checks.push(CardCheck::new(subject, check));
        }
    }
    schemas
}

fn unknown(reason: &str) -> Check {
    Check::Unknown {
        reason: atr_ids::sanitize(reason),
    }
}

/// Where documents come from.
#[derive(Clone, Copy)]
struct Source<'a> {
    ipfs: &'a Ipfs,
    http: &'a SafeHttpClient,
}

impl Source<'_> {
    async fn fetch(self, uri: &str) -> Result<Vec<u8>, Unread> {
        if uri.starts_with("https://") {
            return self.fetch_https(uri).await.map_err(Unread::Unknown);
        }
        match uri.parse::<IpfsPath>() {
            Ok(path) => self.ipfs.file(&path).await,
            Err(error) => Err(Unread::Unknown(error.to_string())),
        }
    }

    async fn fetch_https(self, url: &str) -> Result<Vec<u8>, String> {
        let url: HttpsUrl = url
            .parse()
            .map_err(|error: atr_ids::Error| error.to_string())?;
        let document = self.http.fetch_document(&url).await;
        document.map_err(|error| error.to_string())
    }

    /// Checks that the document is the schema of the verb and can be evaluated with all documents that it refers to.
    async fn compile(
        self,
        uri: &str,
        bytes: &[u8],
        (class, verb, kind): (Class, &str, SchemaKind),
    ) -> (Check, Option<Schema>) {
        let check = check_schema(bytes, class, verb, kind);
        if !check.is_match() {
            return (check, None);
        }
        let mut set = SchemaSet::default();
        let compiled = match set.insert(bytes) {
            Ok(id) => match self.add_references(&mut set, &id, uri).await {
                Ok(()) => set.compile(&id).map_err(|error| error.to_string()),
                Err(reason) => Err(reason),
            },
            Err(error) => Err(error.to_string()),
        };
        match compiled {
            Ok(schema) => (check, Some(schema)),
            Err(reason) => (unknown(&reason), None),
        }
    }

    /// Adds the documents that a schema refers to. Documents of its release are read below its CID.
    async fn add_references(self, set: &mut SchemaSet, id: &str, uri: &str) -> Result<(), String> {
        let release = uri.parse::<IpfsPath>().ok().and_then(|location| {
            let root = id.strip_suffix(&location.path)?;
            Some((root.to_owned(), location.cid))
        });
        for _ in 0..=MAX_REFERENCES {
            let missing = set.missing(id).map_err(|error| error.to_string())?;
            let Some(reference) = missing.first() else {
                return Ok(());
            };
            let below = release.as_ref().and_then(|(root, cid)| {
                let path = reference.strip_prefix(root)?.to_owned();
                Some(IpfsPath { cid: *cid, path })
            });
            let document = match below {
                Some(location) => self.ipfs.file(&location).await,
                None => self.fetch(reference).await,
            };
            let failed = |reason: &str| format!("{}: {reason}", atr_ids::excerpt(reference));
            let document = document.map_err(|error| match error {
                Unread::Absent(reason) | Unread::Unknown(reason) => failed(&reason),
            })?;
            let has_id = |id: &str| {
                let document = Document::parse(document.as_slice()).ok();
                document.is_some_and(|document| {
                    document.root().get("$id").and_then(Value::as_str) == Some(id)
                })
            };
            // It would stay missing.
            if !has_id(reference) {
                return Err(failed("the document has another \"$id\""));
            }
            set.insert(document).map_err(|error| error.to_string())?;
        }
        Err("the schema refers to too many documents".to_owned())
    }
}
