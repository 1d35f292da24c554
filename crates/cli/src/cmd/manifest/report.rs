//! Validation report of a manifest.

use std::fmt::{self, Write};

use atr_manifest::{Code, Document, Findings, Policy, Role, Violation, check};
use serde::Serialize;

use crate::output::{Palette, Report};

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
    #[serde(flatten)]
    findings: Findings,
}

impl ValidationReport {
    pub(crate) fn check(source: String, bytes: &[u8], role: RoleArg) -> Self {
        match Document::parse(bytes) {
            Ok(document) => {
                let findings = check(&document, role.into());
                let has_canonical_form = !findings
                    .violations
                    .iter()
                    .any(|found| found.code.is_about_bytes());
                let hash = has_canonical_form.then(|| document.hash().to_string());
                Self::new(source, role, hash, findings)
            }
            Err(error) => Self::new(source, role, None, Findings::from(&error)),
        }
    }

    pub(super) const fn new(
        source: String,
        role: RoleArg,
        hash: Option<String>,
        findings: Findings,
    ) -> Self {
        Self {
            source,
            role,
            valid: findings.is_valid(),
            hash,
            findings,
        }
    }

    pub(super) fn into_hash(self) -> Option<String> {
        self.hash
    }

    pub(crate) const fn is_valid(&self) -> bool {
        self.valid
    }

    /// Whether there are neither violations nor warnings.
    pub(crate) const fn is_clean(&self) -> bool {
        self.findings.is_clean()
    }
}

impl Report for ValidationReport {
    fn render(&self, palette: &Palette) -> String {
        let Findings {
            violations,
            warnings,
            truncated,
        } = &self.findings;
        let result = if self.valid {
            palette.heading("valid")
        } else {
            palette.error("invalid")
        };
        let mut text = format!("{}: {result} ({} rules)\n", self.source, self.role);
        // Writing to a string cannot fail.
        if let Some(hash) = self.hash.as_ref().filter(|_| self.valid) {
            let _ = writeln!(text, "hash {hash}");
        }
        if !violations.is_empty() {
            let heading = palette.error(&count_noun(violations.len(), "violation"));
            let _ = write!(
                text,
                "\n{heading}\n{}",
                render_findings(violations, palette)
            );
        }
        if !warnings.is_empty() {
            let heading = palette.warning(&count_noun(warnings.len(), "warning"));
            let _ = write!(text, "\n{heading}\n{}", render_findings(warnings, palette));
        }
        if *truncated {
            text.push_str("\nMore findings omitted. Fix these and run the command again.\n");
        }
        text
    }
}

fn count_noun(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

pub(crate) fn render_findings(findings: &[Violation], palette: &Palette) -> String {
    let mut text = String::new();
    for Violation {
        code,
        pointer,
        found,
        allowed,
        fix,
    } in findings
    {
        let location = match pointer.as_str() {
            "" => "document".to_owned(),
            pointer => atr_ids::excerpt(pointer),
        };
        let _ = write!(
            text,
            "\n  {}  {code}\n    found    {found}\n    allowed  {allowed}\n    fix      {fix}\n",
            palette.heading(&location),
        );
        if matches!(code, Code::NotNfc | Code::NameNotNfc) {
            text.push_str("    run      atr manifest canonicalize --nfc\n");
        }
    }
    text
}
