//! What the rules say of a manifest, as it is printed.

use std::fmt::{self, Write};

use atr_manifest::{Document, Findings, Policy, Role, Violation, check};
use serde::Serialize;

use crate::output::{Palette, Report};

/// Whose rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum As {
    /// You publish it: also refuse what would embarrass you later
    #[default]
    Producer,
    /// You rely on it: refuse what ERC-8257 tells consumers to refuse
    Consumer,
}

impl From<As> for Policy {
    fn from(role: As) -> Self {
        Self::of(match role {
            As::Producer => Role::Producer,
            As::Consumer => Role::Consumer,
        })
    }
}

impl fmt::Display for As {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        })
    }
}

/// The verdict on a manifest.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    source: String,
    #[serde(rename = "as")]
    role: As,
    valid: bool,
    /// Of the canonical form, if the document has one.
    hash: Option<String>,
    #[serde(flatten)]
    findings: Findings,
}

impl Verdict {
    /// Judges the bytes of a manifest.
    pub(crate) fn on(source: String, bytes: &[u8], role: As) -> Self {
        match Document::parse(bytes) {
            Ok(document) => {
                let findings = check(&document, role.into());
                let has_form = !findings
                    .violations
                    .iter()
                    .any(|found| found.code.is_about_bytes());
                let hash = has_form.then(|| document.hash().to_string());
                Self::new(source, role, hash, findings)
            }
            Err(error) => Self::new(source, role, None, Findings::from(&error)),
        }
    }

    pub(super) const fn new(
        source: String,
        role: As,
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

    /// The hash, if there is one.
    pub(super) fn into_hash(self) -> Option<String> {
        self.hash
    }

    pub(crate) const fn is_valid(&self) -> bool {
        self.valid
    }

    /// Whether there is nothing to say, not even advice.
    pub(crate) const fn is_clean(&self) -> bool {
        self.findings.is_clean()
    }
}

impl Report for Verdict {
    fn human(&self, palette: &Palette) -> String {
        let Findings {
            violations,
            warnings,
            truncated,
        } = &self.findings;
        let verdict = if self.valid {
            palette.heading("valid")
        } else {
            palette.error("refused")
        };
        let mut text = format!(
            "{}: {verdict} by the rules for {}s\n",
            self.source, self.role
        );
        // Writing to a string cannot fail.
        if let Some(hash) = self.hash.as_ref().filter(|_| self.valid) {
            let _ = writeln!(text, "hash {hash}");
        }
        if !violations.is_empty() {
            let heading = palette.error(&counted(violations.len(), "violation"));
            let _ = write!(text, "\n{heading}\n{}", list_findings(violations, palette));
        }
        if !warnings.is_empty() {
            let heading = palette.warning(&counted(warnings.len(), "warning"));
            let _ = write!(text, "\n{heading}\n{}", list_findings(warnings, palette));
        }
        if *truncated {
            text.push_str("\nThere is more. Fix these and look again.\n");
        }
        text
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Each finding in four lines, the fix last: that is what is read twice.
pub(crate) fn list_findings(findings: &[Violation], palette: &Palette) -> String {
    let mut text = String::new();
    for Violation {
        code,
        pointer,
        found,
        allowed,
        fix,
    } in findings
    {
        let place = match pointer.as_str() {
            "" => "the document".to_owned(),
            pointer => atr_ids::excerpt(pointer),
        };
        let _ = write!(
            text,
            "\n  {}  {code}\n    found    {found}\n    allowed  {allowed}\n    fix      {fix}\n",
            palette.heading(&place),
        );
    }
    text
}
