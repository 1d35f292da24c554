//! Receipts: a response is validated against the receipt schema of a card, without fetching anything.

use std::collections::BTreeMap;

use atr_ids::excerpt;
use atr_manifest::{Document, Pointer, Value, remote_refs};
use atr_schema::{Outcome, Schema};
use serde::Serialize;
use url::Url;

/// Documents of one schema.
const MAX_DOCUMENTS: usize = 64;

/// Schema documents by their `$id`. References between them are resolved in this set; nothing is fetched.
#[derive(Debug, Default)]
pub struct SchemaSet {
    documents: BTreeMap<String, Document>,
}

/// Why there is no schema to validate with. None of them says anything about a receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum SchemaError {
    #[error("not a JSON document: {0}")]
    Document(#[from] atr_manifest::Error),
    #[error("the schema has no absolute \"$id\"")]
    NoId,
    #[error("another schema has the \"$id\" {id}")]
    SameId { id: String },
    #[error("the schema {id} is not in the set")]
    Missing { id: String },
    #[error("the schema needs more than {MAX_DOCUMENTS} documents")]
    TooManyDocuments,
    #[error("the schema cannot be used: {0}")]
    Schema(#[from] atr_schema::Error),
}

impl SchemaSet {
    /// Adds a schema. Returns its `$id`, by which others refer to it.
    pub fn insert(&mut self, bytes: impl Into<Vec<u8>>) -> Result<String, SchemaError> {
        let document = Document::parse(bytes)?;
        let id = document.root().get("$id").and_then(Value::as_str);
        let id = id.and_then(|id| Url::parse(id).ok());
        let id = id.ok_or(SchemaError::NoId)?.to_string();
        if self.documents.contains_key(&id) {
            return Err(SchemaError::SameId { id: excerpt(&id) });
        }
        self.documents.insert(id.clone(), document);
        Ok(id)
    }

    /// The ids of documents that a schema of the set refers to, directly or through others, and that the set does not have.
    pub fn missing(&self, id: &str) -> Result<Vec<String>, SchemaError> {
        let mut needed = self.needed(id)?;
        needed.retain(|id| !self.documents.contains_key(id));
        Ok(needed)
    }

    /// The schema and all documents that it refers to.
    fn needed(&self, id: &str) -> Result<Vec<String>, SchemaError> {
        let mut needed = vec![id.to_owned()];
        let mut next = 0;
        while let Some(id) = needed.get(next) {
            next += 1;
            let base = Url::parse(id).map_err(|_| SchemaError::NoId)?;
            let Some(document) = self.documents.get(id) else {
                continue;
            };
            for reference in remote_refs(document.root()) {
                let target = reference.as_str().unwrap_or_default();
                let Ok(mut target) = base.join(target) else {
                    continue;
                };
                target.set_fragment(None);
                let target = target.to_string();
                if !needed.contains(&target) && !declares(document.root(), &base, &target) {
                    needed.push(target);
                }
            }
            if needed.len() > MAX_DOCUMENTS {
                return Err(SchemaError::TooManyDocuments);
            }
        }
        Ok(needed)
    }

    /// Compiles a schema of the set with all documents that it refers to, as one compound document (JSON Schema 2020-12, § 9.3).
    pub fn compile(&self, id: &str) -> Result<Schema, SchemaError> {
        let needed = self.needed(id)?;
        if let Some(id) = needed.iter().find(|id| !self.documents.contains_key(*id)) {
            return Err(SchemaError::Missing { id: excerpt(id) });
        }
        let definitions: Vec<_> = needed
            .iter()
            .filter_map(|id| self.documents.get(id))
            .enumerate()
            .map(|(index, document)| format!("\"{index}\":{}", document.text()))
            .collect();
        let reference = serde_json::Value::from(id);
        let bundle = format!(
            "{{\"$ref\":{reference},\"$defs\":{{{}}}}}",
            definitions.join(",")
        );
        let bundle = Document::parse(bundle)?;
        Ok(Schema::compile(bundle.root())?)
    }
}

/// Whether a subschema of the document has this `$id`. Recursion is bounded by the document's 128 levels.
fn declares(value: Value<'_>, base: &Url, target: &str) -> bool {
    let id = value.get("$id").and_then(Value::as_str);
    let id = id.and_then(|id| base.join(id).ok());
    let is_target = id.is_some_and(|id| id.as_str() == target);
    is_target
        || value
            .members()
            .any(|(_, member)| declares(member, base, target))
        || value
            .elements()
            .any(|element| declares(element, base, target))
}

/// What is wrong with a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiptFinding {
    /// Stable machine-readable code: `schema`, `request-id`, `verb`, `result-and-error`, `no-result` or `no-error`.
    pub code: &'static str,
    /// Location in the receipt.
    pub pointer: Pointer,
    /// What the rule requires.
    pub message: String,
}

/// Three outcomes of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum ReceiptOutcome {
    /// The receipt follows its schema and answers the request.
    Valid,
    /// At least one finding.
    #[expect(missing_docs, reason = "plain data")]
    Invalid { findings: Vec<ReceiptFinding> },
    /// The schema could not be evaluated, and nothing else is wrong.
    #[expect(missing_docs, reason = "plain data")]
    Unknown { reason: String },
}

/// What the receipt must answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected<'a> {
    /// The verb that was called.
    pub verb: Option<&'a str>,
    /// The request that was sent. Its id must be echoed.
    pub request: Option<&'a Document>,
}

/// Checks a receipt: schema, verb, echoed request id, and either a result or an error.
#[must_use]
pub fn check(
    schema: Result<&Schema, &SchemaError>,
    expected: Expected<'_>,
    receipt: &Document,
) -> ReceiptOutcome {
    let root = receipt.root();
    let mut findings = Vec::new();
    let mut unknown = None;
    match schema.map(|schema| schema.validate(receipt)) {
        Ok(Outcome::Valid) => {}
        Ok(Outcome::Invalid(failures)) => {
            findings.extend(failures.into_iter().map(|failure| ReceiptFinding {
                code: "schema",
                pointer: failure.instance_location,
                message: failure.message,
            }));
        }
        Ok(Outcome::Unknown(exhausted)) => unknown = Some(exhausted.to_string()),
        Err(error) => unknown = Some(error.to_string()),
    }
    let mut add = |code, pointer: Pointer, message: String| {
        findings.push(ReceiptFinding {
            code,
            pointer,
            message,
        });
    };
    if let Some((_, sent)) = expected
        .request
        .and_then(|request| request_id(request.root()))
    {
        match request_id(root) {
            Some((_, echoed)) if echoed == sent => {}
            Some((pointer, _)) => add(
                "request-id",
                pointer,
                format!("must be \"{}\", the id of the request", excerpt(sent)),
            ),
            None => add(
                "request-id",
                Pointer::root().member("x402").member("request_id"),
                format!("must echo the id of the request, \"{}\"", excerpt(sent)),
            ),
        }
    }
    let verb = [
        root.get("x402").and_then(|x402| x402.get("verb")),
        root.get("verb"),
    ];
    let verb = verb
        .into_iter()
        .flatten()
        .find(|verb| verb.as_str().is_some());
    if let (Some(expected), Some(found)) = (expected.verb, verb)
        && found.as_str() != Some(expected)
    {
        let message = format!(
            "must be \"{}\", the verb that was called",
            excerpt(expected)
        );
        add("verb", found.pointer(), message);
    }
    let status = root.get("status").and_then(Value::as_str);
    let has = |name: &str| root.get(name).is_some();
    let pointer = |name: &str| Pointer::root().member(name);
    if has("result") && has("error") {
        let message = "a receipt has a result or an error, not both".to_owned();
        add("result-and-error", pointer("error"), message);
    } else if status == Some("error") && !has("error") {
        let message = "a receipt with the status \"error\" must have an error".to_owned();
        add("no-error", pointer("error"), message);
    } else if status == Some("success") && !has("result") {
        let message = "a receipt with the status \"success\" must have a result".to_owned();
        add("no-result", pointer("result"), message);
    }
    match (findings.is_empty(), unknown) {
        (false, _) => ReceiptOutcome::Invalid { findings },
        (true, Some(reason)) => ReceiptOutcome::Unknown { reason },
        (true, None) => ReceiptOutcome::Valid,
    }
}

/// `x402.request_id` (1.0.0) or `request_id` (1.1.0).
fn request_id(root: Value<'_>) -> Option<(Pointer, &str)> {
    let x402 = root.get("x402").and_then(|x402| x402.get("request_id"));
    let value = x402.or_else(|| root.get("request_id"))?;
    Some((value.pointer(), value.as_str()?))
}
