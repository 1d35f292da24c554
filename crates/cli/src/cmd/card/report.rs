//! Validation report of a card.

use std::{borrow::Cow, fmt::Write};

use atr_agent_card::{
    Change, Checksum, Config, Finding, Profile, ProfileReport, Report as CardVerdict, Status,
    cid::{Dag, Leaves},
    compare_releases, validate,
};
use atr_ids::excerpt;
use atr_manifest::{Document, Pointer, TextPosition};
use serde::Serialize;

use crate::{
    outcome::Outcome,
    output::{Palette, Report, count_noun, escape_line, field},
};

/// Value of `--profile`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProfileArg {
    /// The specification's text
    #[default]
    #[value(name = "spec")]
    Spec,
    /// Cards as published in version 1.0.0
    #[value(name = "published-1.0")]
    Published10,
    /// Cards as published in version 1.1.0
    #[value(name = "published-1.1")]
    Published11,
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Self {
        match profile {
            ProfileArg::Spec => Self::Spec,
            ProfileArg::Published10 => Self::Published10,
            ProfileArg::Published11 => Self::Published11,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardReport {
    source: String,
    /// Decides the outcome.
    profile: Profile,
    status: Status,
    satisfied: Vec<Profile>,
    /// `None` for a card that was not written.
    sha256: Option<String>,
    /// Of a file with raw leaves, the default of importers.
    cid: Option<String>,
    profiles: Vec<ProfileView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<ReleaseView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProfileView {
    profile: Profile,
    status: Status,
    violations: Vec<FindingView>,
    warnings: Vec<FindingView>,
    truncated: bool,
}

#[derive(Debug, Serialize)]
struct ReleaseView {
    previous: String,
    changes: Vec<Change>,
    violation: Option<FindingView>,
}

#[derive(Debug, Serialize)]
struct FindingView {
    code: &'static str,
    pointer: Pointer,
    /// Both start at 1. `None` without a position in the text.
    line: Option<usize>,
    column: Option<usize>,
    found: String,
    expected: Cow<'static, str>,
    fix: Cow<'static, str>,
}

impl CardReport {
    pub(crate) fn check(source: String, bytes: Vec<u8>, profile: Profile, config: &Config) -> Self {
        let sha256 = Checksum::of(&bytes).to_string();
        let cid = Dag::of_file(&bytes, Leaves::Raw).map(|dag| dag.root().to_string());
        let document = Document::parse(bytes);
        let (verdict, position) = match &document {
            Ok(document) => (validate(document, config), None),
            Err(error) => (CardVerdict::from_error(error), error.position()),
        };
        let document = document.as_ref().ok();
        let satisfied = verdict.satisfied().collect();
        let view = |report: ProfileReport| ProfileView {
            profile: report.profile,
            status: report.status,
            violations: locate(report.violations, document, position),
            warnings: locate(report.warnings, document, position),
            truncated: report.truncated,
        };
        Self {
            source,
            profile,
            status: verdict.profile(profile).status,
            satisfied,
            sha256: Some(sha256),
            cid,
            profiles: verdict.profiles.into_iter().map(view).collect(),
            release: None,
        }
    }

    /// Checks a card that is not written if it is invalid: it has no bytes, and no positions in them.
    pub(crate) fn of_draft(text: &str, config: &Config) -> Self {
        let report = Self::check(
            "card".to_owned(),
            text.as_bytes().to_vec(),
            Profile::Spec,
            config,
        );
        let without_positions = |mut view: ProfileView| {
            for finding in view.violations.iter_mut().chain(&mut view.warnings) {
                (finding.line, finding.column) = (None, None);
            }
            view
        };
        Self {
            sha256: None,
            cid: None,
            profiles: report.profiles.into_iter().map(without_positions).collect(),
            ..report
        }
    }

    /// Compares with the previous release, if both are JSON.
    pub(crate) fn with_previous(
        mut self,
        name: String,
        previous: &Document,
        card: &Document,
    ) -> Self {
        let comparison = compare_releases(previous, card);
        let violation = comparison
            .violation
            .map(|finding| view(finding, Some(card), None));
        self.release = Some(ReleaseView {
            previous: name,
            changes: comparison.changes,
            violation,
        });
        self
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let is_stale = self
            .release
            .as_ref()
            .is_some_and(|release| release.violation.is_some());
        match self.status {
            Status::Violated => Outcome::Failure,
            _ if is_stale => Outcome::Failure,
            Status::Satisfied => Outcome::Success,
            Status::Unknown => Outcome::Unknown,
        }
    }

    pub(crate) fn is_satisfied(&self) -> bool {
        self.status == Status::Satisfied
    }

    pub(crate) fn violations(&self) -> usize {
        self.selected().violations.len()
    }

    fn selected(&self) -> &ProfileView {
        let mut views = self.profiles.iter();
        let selected = views.find(|view| view.profile == self.profile);
        selected.expect("a report has every profile")
    }
}

fn locate(
    findings: Vec<Finding>,
    document: Option<&Document>,
    position: Option<TextPosition>,
) -> Vec<FindingView> {
    let findings = findings.into_iter();
    findings
        .map(|finding| view(finding, document, position))
        .collect()
}

fn view(
    finding: Finding,
    document: Option<&Document>,
    position: Option<TextPosition>,
) -> FindingView {
    let position =
        position.or_else(|| document.map(|document| document.position(&finding.pointer)));
    FindingView {
        code: finding.code.as_str(),
        pointer: finding.pointer,
        line: position.map(|position| position.line),
        column: position.map(|position| position.column),
        found: finding.found,
        expected: finding.expected,
        fix: finding.fix,
    }
}

impl FindingView {
    fn render(&self, palette: &Palette) -> String {
        let location = match self.pointer.as_str() {
            "" => "document".to_owned(),
            pointer => excerpt(pointer),
        };
        let position = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("  line {line} column {column}"),
            _ => String::new(),
        };
        format!(
            "\n  {}  {}{position}\n    found     {}\n    expected  {}\n    fix       {}\n",
            palette.heading(&location),
            self.code,
            escape_line(&self.found),
            escape_line(&self.expected),
            escape_line(&self.fix),
        )
    }
}

impl ProfileView {
    fn verdict(&self, palette: &Palette) -> String {
        match self.status {
            Status::Satisfied => palette.success("satisfied"),
            Status::Violated => {
                let count = count_noun(self.violations.len(), "violation");
                format!("{}: {count}", palette.error("violated"))
            }
            Status::Unknown => palette.warning("unknown"),
        }
    }
}

impl Report for CardReport {
    fn render(&self, palette: &Palette) -> String {
        let result = match self.outcome() {
            Outcome::Success => palette.heading("valid"),
            Outcome::Unknown => palette.warning("unknown"),
            _ => palette.error("invalid"),
        };
        let mut text = format!("{}: {result} (profile {})\n\n", self.source, self.profile);
        for view in &self.profiles {
            // Names of profiles are longer than the labels of other reports.
            let name = view.profile.as_str();
            let _ = writeln!(text, "{name:<13}  {}", view.verdict(palette));
        }
        for (label, value) in [("sha256", &self.sha256), ("cid", &self.cid)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{label:<13}  {value}");
            }
        }
        let selected = self.selected();
        for (findings, noun, is_violation) in [
            (&selected.violations, "violation", true),
            (&selected.warnings, "warning", false),
        ] {
            if findings.is_empty() {
                continue;
            }
            let heading = count_noun(findings.len(), noun);
            let heading = if is_violation {
                palette.error(&heading)
            } else {
                palette.warning(&heading)
            };
            let findings: String = findings
                .iter()
                .map(|finding| finding.render(palette))
                .collect();
            let _ = write!(text, "\n{heading}\n{findings}");
        }
        if let Some(release) = &self.release {
            let heading = count_noun(release.changes.len(), "change");
            let _ = writeln!(text, "\n{heading} since {}", release.previous);
            for change in &release.changes {
                let side = |value: &Option<String>| match value {
                    Some(value) => escape_line(value),
                    None => "nothing".to_owned(),
                };
                let pointer = excerpt(change.pointer.as_str());
                let _ = write!(
                    text,
                    "\n  {pointer}\n    before    {}\n    after     {}\n",
                    side(&change.before),
                    side(&change.after)
                );
            }
            if let Some(violation) = &release.violation {
                text.push_str(&violation.render(palette));
            }
        }
        if selected.truncated {
            text.push_str("\nMore findings omitted. Fix these and run the command again.\n");
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}

/// A new card on disk.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WrittenCard {
    pub(crate) file: std::path::PathBuf,
    pub(crate) sha256: String,
    pub(crate) entry: String,
}

impl Report for WrittenCard {
    fn render(&self, palette: &Palette) -> String {
        let mut text = format!("{} {}\n\n", palette.heading("Wrote"), self.file.display());
        text += &field("entry", &self.entry);
        text += &field("sha256", &self.sha256);
        let _ = write!(
            text,
            "\nNext steps:\n  1. Complete capabilities and meta, then run `atr card validate {file}`.\n  2. Publish the file on an https server and on IPFS, byte for byte.\n  3. Run `atr card bind {file}` to set the TXT records of the ENS name.\n",
            file = self.file.display()
        );
        text
    }
}
