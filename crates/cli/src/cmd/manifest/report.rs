//! Validation report of a manifest.

use std::fmt::{self, Write};

use atr_ids::HttpsUrl;
use atr_manifest::{Document, Findings, Policy, Role, Violation, check};
use serde::Serialize;

use super::finding::{self, Finding, Origin, schema_problems};
use crate::{
    outcome::Outcome,
    output::{Palette, Report, count_noun},
};

/// Value of `--as`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleArg {
    /// Rules for publishing a manifest; stricter
    #[default]
    Producer,
    /// Rules for using a manifest, as ERC-8257 requires of consumers
    Consumer,
}

impl From<RoleArg> for Policy {
    fn from(role: RoleArg) -> Self {
        Self::new(match role {
            RoleArg::Producer => Role::Producer,
            RoleArg::Consumer => Role::Consumer,
        })
    }
}

impl fmt::Display for RoleArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        })
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct ValidationReport {
    source: String,
    #[serde(rename = "as")]
    role: RoleArg,
    valid: bool,
    /// `None` if the document has no canonical form.
    hash: Option<String>,
    violations: Vec<Finding>,
    warnings: Vec<Finding>,
    truncated: bool,
    #[serde(skip)]
    fails_on_warnings: bool,
}

impl ValidationReport {
    /// Checks the manifest rules, the schemas, and for a URL the origin.
    pub(crate) fn check(
        source: String,
        url: Option<&HttpsUrl>,
        bytes: impl Into<Vec<u8>>,
        role: RoleArg,
    ) -> Self {
        let document = match Document::parse(bytes) {
            Ok(document) => document,
            Err(error) => return Self::from_error(source, role, &error),
        };
        let findings = check(&document, role.into());
        let mut report = Self::from_findings(source, role, findings, &document);
        for problem in schema_problems(&document) {
            // A manifest is not invalid for consumers because of its schemas (E-07).
            if problem.is_invalid && role == RoleArg::Producer {
                report.violations.push(problem.finding);
            } else {
                report.warnings.push(problem.finding);
            }
        }
        match url.map(|url| Origin::check(url, &document)) {
            Some(Origin::Other(finding)) => report.violations.push(finding),
            Some(Origin::NotWellKnown(finding)) => report.warnings.push(finding),
            Some(Origin::Same) | None => {}
        }
        report.valid = report.violations.is_empty();
        report
    }

    pub(super) fn from_findings(
        source: String,
        role: RoleArg,
        findings: Findings,
        document: &Document,
    ) -> Self {
        let is_about_bytes = |found: &Violation| found.code.is_about_bytes();
        let has_canonical_form = !findings.violations.iter().any(is_about_bytes);
        let locate = |violations: Vec<Violation>| {
            let violations = violations.into_iter();
            violations
                .map(|violation| Finding::from_violation(violation, document))
                .collect()
        };
        Self {
            source,
            role,
            valid: findings.is_valid(),
            hash: has_canonical_form.then(|| document.hash().to_string()),
            violations: locate(findings.violations),
            warnings: locate(findings.warnings),
            truncated: findings.truncated,
            fails_on_warnings: false,
        }
    }

    pub(super) fn from_error(source: String, role: RoleArg, error: &atr_manifest::Error) -> Self {
        Self {
            source,
            role,
            valid: false,
            hash: None,
            violations: vec![Finding::new(error.into(), error.position())],
            warnings: Vec::new(),
            truncated: false,
            fails_on_warnings: false,
        }
    }

    pub(super) fn into_hash(self) -> Option<String> {
        self.hash
    }

    pub(crate) const fn is_valid(&self) -> bool {
        self.valid
    }

    /// Makes warnings a failure.
    pub(crate) const fn failing_on_warnings(mut self) -> Self {
        self.fails_on_warnings = true;
        self
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        if self.valid && (self.warnings.is_empty() || !self.fails_on_warnings) {
            Outcome::Success
        } else {
            Outcome::Failure
        }
    }
}

impl Report for ValidationReport {
    fn render(&self, palette: &Palette) -> String {
        let result = if self.valid {
            palette.heading("valid")
        } else {
            palette.error("invalid")
        };
        // The rules for publishing are the default.
        let rules = match self.role {
            RoleArg::Producer => "",
            RoleArg::Consumer => " for consumers",
        };
        let mut text = format!("{}: {result}{rules}\n", self.source);
        // Writing to a string cannot fail.
        if let Some(hash) = self.hash.as_ref().filter(|_| self.valid) {
            let _ = writeln!(text, "hash {hash}");
        }
        if !self.violations.is_empty() {
            let heading = palette.error(&count_noun(self.violations.len(), "violation"));
            let findings = finding::render(&self.violations, palette);
            let _ = write!(text, "\n{heading}\n{findings}");
        }
        if !self.warnings.is_empty() {
            let heading = palette.warning(&count_noun(self.warnings.len(), "warning"));
            let findings = finding::render(&self.warnings, palette);
            let _ = write!(text, "\n{heading}\n{findings}");
        }
        if self.truncated {
            text.push_str("\nMore findings omitted. Fix these and run the command again.\n");
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
