//! Validation of a card against the profiles.

use atr_manifest::{Document, Pointer};
use serde::Serialize;

use crate::{Card, Code, Config, Finding, Profile, content, rules};

/// Violations and warnings that are reported of one profile, each.
pub const MAX_FINDINGS: usize = 256;

/// The verdict of every profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In the order of [`Profile::ALL`].
    pub profiles: Vec<ProfileReport>,
}

/// What one profile says about a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProfileReport {
    /// The rules that were applied.
    pub profile: Profile,
    /// The verdict.
    pub status: Status,
    /// Differences that make the card invalid.
    pub violations: Vec<Finding>,
    /// Differences that do not.
    pub warnings: Vec<Finding>,
    /// Whether there are more findings than listed.
    pub truncated: bool,
}

/// Three outcomes of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// No violation.
    Satisfied,
    /// At least one violation.
    Violated,
    /// Validation was too costly and stopped before it found a violation.
    Unknown,
}

impl Report {
    /// The report of a profile.
    #[must_use]
    pub fn profile(&self, profile: Profile) -> &ProfileReport {
        let found = self
            .profiles
            .iter()
            .find(|report| report.profile == profile);
        found.expect("a report has every profile")
    }

    /// The profiles that the card satisfies.
    pub fn satisfied(&self) -> impl Iterator<Item = Profile> {
        let satisfied = self.profiles.iter();
        satisfied
            .filter(|report| report.status == Status::Satisfied)
            .map(|report| report.profile)
    }

    /// The report of bytes that are not a document.
    #[must_use]
    pub fn from_error(error: &atr_manifest::Error) -> Self {
        Self::from_violation(&Finding::from(error))
    }

    fn from_violation(violation: &Finding) -> Self {
        let profiles = Profile::ALL.into_iter().map(|profile| ProfileReport {
            profile,
            status: Status::Violated,
            violations: vec![violation.clone()],
            warnings: Vec::new(),
            truncated: false,
        });
        Self {
            profiles: profiles.collect(),
        }
    }
}

/// Violations and warnings while the rules run.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) violations: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

impl Findings {
    pub(crate) fn violation(&mut self, finding: Finding) {
        self.violations.push(finding);
    }

    pub(crate) fn warning(&mut self, finding: Finding) {
        self.warnings.push(finding);
    }

    /// Whether a violation of the value or of a container of it is known. Other rules do not judge such a value again.
    pub(crate) fn has(&self, pointer: &str) -> bool {
        let is_about = |found: &Pointer| {
            let found = found.as_str();
            pointer == found
                || (pointer.starts_with(found) && pointer[found.len()..].starts_with('/'))
        };
        let mut all = self.violations.iter();
        all.any(|finding| is_about(&finding.pointer))
    }
}

/// Checks a card against every profile. Forbidden content is a violation of each of them (P-18).
#[must_use]
pub fn validate(document: &Document, config: &Config) -> Report {
    let card = Card::new(document);
    if !card.is_object() {
        return Report::from_violation(&Finding::at(
            Code::NotAnObject,
            card.root(),
            "a JSON object",
            "publish one card per document",
        ));
    }
    let content = content::scan(document);
    let profiles = Profile::ALL.into_iter().map(|profile| {
        let mut findings = Findings::default();
        let is_complete = rules::check(document, profile, config, &mut findings);
        let is_complete = is_complete && !content.is_incomplete;
        findings.violations.extend(content.violations.clone());
        findings.warnings.extend(content.warnings.clone());
        let Findings {
            mut violations,
            mut warnings,
        } = findings;
        let status = match (violations.is_empty(), is_complete) {
            (false, _) => Status::Violated,
            (true, true) => Status::Satisfied,
            (true, false) => Status::Unknown,
        };
        let truncated =
            content.truncated || violations.len() > MAX_FINDINGS || warnings.len() > MAX_FINDINGS;
        violations.truncate(MAX_FINDINGS);
        warnings.truncate(MAX_FINDINGS);
        ProfileReport {
            profile,
            status,
            violations,
            warnings,
            truncated,
        }
    });
    Report {
        profiles: profiles.collect(),
    }
}
