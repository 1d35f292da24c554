//! Forbidden content (P-18): credentials, private addresses, personal data and executable code, in any member.
//!
//! Every string and member name is examined as written and after undoing common encodings. Hashes, CIDs, fingerprints, contract
//! addresses and schema URIs are not secrets and are not reported. Secrets are never repeated in a finding.

mod addresses;
mod credentials;
mod decode;
mod personal;
mod scripts;

use atr_manifest::{Document, Kind, Pointer, Value};

use crate::{Code, Finding, MAX_FINDINGS};

/// Shorter texts that are the value of no member are not examined.
const MIN_BYTES: usize = 6;

/// Texts that are examined, member names included. Cards have about a hundred.
const MAX_TEXTS: usize = 4_096;

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ContentFindings {
    pub violations: Vec<Finding>,
    /// Role mailboxes, which belong to no person.
    pub warnings: Vec<Finding>,
    /// Whether there are more findings than listed.
    pub truncated: bool,
    /// Whether the document has more texts than are examined: the others can contain anything.
    pub is_incomplete: bool,
}

/// Something that a text must not contain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hit {
    code: Code,
    /// The kind of content, such as "a JSON Web Token".
    kind: &'static str,
    /// The text; only its start is shown.
    text: String,
}

impl Hit {
    fn new(code: Code, kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            kind,
            text: text.into(),
        }
    }
}

/// A text with the name of the member that contains it.
#[derive(Clone, Copy, Debug)]
struct Text<'a> {
    text: &'a str,
    /// The innermost member name, without separators and in lower case. Empty without one.
    field: &'a str,
}

/// Examines every string and member name of a document.
#[must_use]
pub fn scan(document: &Document) -> ContentFindings {
    let mut scan = Scan::default();
    scan.value(document.root(), &Pointer::root(), "");
    scan.findings
}

#[derive(Default)]
struct Scan {
    findings: ContentFindings,
    /// Texts that were examined.
    texts: usize,
}

impl Scan {
    /// Recursion is bounded by the document's 128 levels.
    fn value(&mut self, value: Value<'_>, pointer: &Pointer, field: &str) {
        match value.kind() {
            Kind::String => self.text(value.as_str().unwrap_or_default(), pointer, field),
            Kind::Number => self.text(value.number_text().unwrap_or_default(), pointer, field),
            Kind::Array => {
                let words: Vec<_> = value.elements().filter_map(Value::as_str).collect();
                if let Some(hit) = credentials::word_list(&words) {
                    self.report(hit, pointer);
                }
                for (index, element) in value.elements().enumerate() {
                    self.value(element, &pointer.clone().element(index), field);
                }
            }
            Kind::Object => {
                if let Some(hit) = credentials::private_jwk(value) {
                    self.report(hit, pointer);
                }
                for (name, member) in value.members() {
                    let pointer = pointer.clone().member(name);
                    self.text(name, &pointer, "");
                    self.value(member, &pointer, &normalize(name));
                }
            }
            Kind::Null | Kind::Boolean => {}
        }
    }

    fn text(&mut self, text: &str, pointer: &Pointer, field: &str) {
        if text.len() < MIN_BYTES && field.is_empty() {
            return;
        }
        // A document of many strings must not take long.
        if self.texts == MAX_TEXTS {
            self.findings.is_incomplete = true;
            return;
        }
        self.texts += 1;
        let mut hits: Vec<Hit> = Vec::new();
        for variant in decode::variants(text) {
            let text = Text {
                text: &variant,
                field,
            };
            for search in [
                credentials::search,
                addresses::search,
                personal::search,
                scripts::search,
            ] {
                for hit in search(text) {
                    let is_known = |known: &Hit| known.code == hit.code && known.kind == hit.kind;
                    if !hits.iter().any(is_known) {
                        hits.push(hit);
                    }
                }
            }
        }
        for hit in hits {
            self.report(hit, pointer);
        }
    }

    fn report(&mut self, hit: Hit, pointer: &Pointer) {
        let (expected, fix) = match hit.code {
            Code::Credential => (
                "no credentials and tokens",
                "remove it from the card and revoke it: what was published is known",
            ),
            Code::PrivateAddress => (
                "public addresses only",
                "remove it, or use the address that others can reach",
            ),
            Code::PersonalData => (
                "no data of persons",
                "remove it; use the mailbox of a role or a web page for contact",
            ),
            Code::RoleMailbox => (
                "a web page or an ENS name for contact",
                "keep it only if it belongs to no person",
            ),
            _ => (
                "text without executable code",
                "remove the code, or link to it with an https URL",
            ),
        };
        let start: String = hit.text.chars().take(4).collect();
        let found = match start.as_str() {
            "" => hit.kind.to_owned(),
            start => format!("{} ({}…)", hit.kind, atr_ids::excerpt(start)),
        };
        let finding = Finding::new(hit.code, pointer.clone(), found, expected, fix);
        let list = if hit.code == Code::RoleMailbox {
            &mut self.findings.warnings
        } else {
            &mut self.findings.violations
        };
        if list.len() < MAX_FINDINGS {
            list.push(finding);
        } else {
            self.findings.truncated = true;
        }
    }
}

/// `API-Key`, `api_key` and `apiKey` are one name.
fn normalize(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
