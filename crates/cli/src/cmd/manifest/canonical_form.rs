//! The canonical form of a manifest and its hash, as they are printed.

use atr_manifest::{Document, Findings, Policy, check};
use serde::Serialize;

use super::report::{As, Verdict};
use crate::output::{Palette, Report};

/// Exactly the bytes that are hashed.
#[derive(Debug, Serialize)]
pub(crate) struct CanonicalForm {
    canonical: String,
    bytes: usize,
    hash: String,
    #[serde(skip)]
    broken_rules: usize,
}

/// The hash alone.
#[derive(Debug, Serialize)]
pub(crate) struct HashReport {
    hash: String,
    /// Of the canonical form.
    bytes: usize,
}

impl CanonicalForm {
    /// The form of a document, or why it has none.
    pub(crate) fn of(source: String, bytes: Vec<u8>, in_nfc: bool) -> Result<Self, Verdict> {
        let refused = |findings: Findings| Verdict::new(source, As::Consumer, None, findings);
        let read = Document::parse(bytes).and_then(|document| {
            if in_nfc {
                document.to_nfc()
            } else {
                Ok(document)
            }
        });
        let document = match read {
            Ok(document) => document,
            Err(error) => return Err(refused(Findings::from(&error))),
        };
        let mut findings = check(&document, Policy::consumer());
        let all = findings.violations.len();
        findings
            .violations
            .retain(|found| found.code.is_about_bytes());
        if !findings.is_valid() {
            findings.warnings.clear();
            return Err(refused(findings));
        }
        let canonical = document.canonical();
        let hash = canonical.hash().to_string();
        Ok(Self {
            bytes: canonical.as_bytes().len(),
            canonical: String::from_utf8(canonical.into_bytes())
                .expect("a form of UTF-8 text is UTF-8"),
            hash,
            broken_rules: all,
        })
    }

    /// Rules the manifest breaks that do not touch its form.
    pub(crate) const fn broken_rules(&self) -> usize {
        self.broken_rules
    }

    pub(crate) fn into_hash(self) -> HashReport {
        HashReport {
            hash: self.hash,
            bytes: self.bytes,
        }
    }
}

impl Report for CanonicalForm {
    fn human(&self, _: &Palette) -> String {
        self.canonical.clone()
    }
}

impl Report for HashReport {
    fn human(&self, _: &Palette) -> String {
        format!("{}\n", self.hash)
    }
}
