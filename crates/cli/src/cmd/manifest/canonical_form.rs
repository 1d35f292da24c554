//! Canonical form and hash of a manifest.

use atr_manifest::{Document, Policy, check};
use serde::Serialize;

use super::report::{RoleArg, ValidationReport};
use crate::output::{Palette, Report};

/// Why there is no hash; the report says which parts of the document are at fault.
pub(super) const NO_CANONICAL_FORM: &str = "the document has no canonical form";

/// The bytes that are hashed.
#[derive(Debug, Serialize)]
pub(crate) struct CanonicalForm {
    canonical: String,
    bytes: usize,
    hash: String,
    #[serde(skip)]
    violations: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct HashReport {
    hash: String,
    /// Length of the canonical form.
    bytes: usize,
}

impl CanonicalForm {
    /// The error reports why the document has no canonical form.
    pub(crate) fn try_new(
        source: String,
        bytes: Vec<u8>,
        to_nfc: bool,
    ) -> Result<Self, ValidationReport> {
        let read = Document::parse(bytes).and_then(|document| {
            if to_nfc {
                document.to_nfc()
            } else {
                Ok(document)
            }
        });
        let document = match read {
            Ok(document) => document,
            Err(error) => {
                return Err(ValidationReport::from_error(
                    source,
                    RoleArg::Consumer,
                    &error,
                ));
            }
        };
        let mut findings = check(&document, Policy::consumer());
        let violations = findings.violations.len();
        findings
            .violations
            .retain(|found| found.code.is_about_bytes());
        if !findings.is_valid() {
            findings.warnings.clear();
            return Err(ValidationReport::from_findings(
                source,
                RoleArg::Consumer,
                findings,
                &document,
            ));
        }
        let canonical = document.canonical();
        let hash = canonical.hash().to_string();
        Ok(Self {
            bytes: canonical.as_bytes().len(),
            canonical: String::from_utf8(canonical.into_bytes())
                .expect("the canonical form is UTF-8"),
            hash,
            violations,
        })
    }

    /// Number of rule violations that do not affect the canonical form.
    pub(crate) const fn violations(&self) -> usize {
        self.violations
    }

    pub(crate) fn into_hash(self) -> HashReport {
        HashReport {
            hash: self.hash,
            bytes: self.bytes,
        }
    }
}

impl Report for CanonicalForm {
    const IS_FILE: bool = true;

    fn render(&self, _: &Palette) -> String {
        self.canonical.clone()
    }
}

impl Report for HashReport {
    fn render(&self, _: &Palette) -> String {
        format!("{}\n", self.hash)
    }
}
