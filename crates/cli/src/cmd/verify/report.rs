//! Verification report.

use std::{collections::BTreeMap, fmt::Write};

use atr_ids::ToolRef;
use atr_verify::{Status, Verdict, duplicates};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::verdict::{headline, render_details, render_problems};
use crate::{
    outcome::Outcome,
    output::{Palette, Report, ToolDetails, count_noun},
};

/// Verdicts on tools that were named, and a summary. All other verdicts are printed as they arrive.
#[derive(Debug)]
pub(crate) struct VerifyReport {
    is_all: bool,
    tools: Vec<(Verdict, ToolDetails)>,
    /// Number of elements of the JSON document.
    pub(crate) printed: usize,
    summary: Summary,
    urls: Vec<(ToolRef, String)>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    tools: usize,
    usable: usize,
    /// Verified, but violating manifest rules or not matching the pinned hash.
    verified_only: usize,
    failed: usize,
    unknown: usize,
    deregistered: usize,
    never_registered: usize,
}

impl VerifyReport {
    pub(crate) fn new(is_all: bool) -> Self {
        Self {
            is_all,
            tools: Vec::new(),
            printed: 0,
            summary: Summary::default(),
            urls: Vec::new(),
        }
    }

    /// Keeps a verdict for the text.
    pub(crate) fn keep(&mut self, verdict: Verdict, details: ToolDetails) {
        self.tools.push((verdict.without_manifest(), details));
    }

    pub(crate) const fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Counts a verdict. Keeps only the manifest URL: a verdict can have megabytes of findings.
    pub(crate) fn add(&mut self, verdict: &Verdict) {
        let summary = &mut self.summary;
        summary.tools += 1;
        let count = match verdict.status() {
            Status::Verified if verdict.is_usable() => &mut summary.usable,
            Status::Verified => &mut summary.verified_only,
            Status::Failed => &mut summary.failed,
            Status::Unknown => &mut summary.unknown,
            Status::Deregistered => &mut summary.deregistered,
            Status::NeverRegistered => &mut summary.never_registered,
        };
        *count += 1;
        if let Some(url) = &verdict.evidence().metadata_uri {
            self.urls.push((verdict.tool(), url.clone()));
        }
    }

    /// `Failure` if any tool failed, else `Unknown` if any is unknown. With `--all`, deregistered tools are ignored.
    pub(crate) const fn outcome(&self) -> Outcome {
        let Summary {
            verified_only,
            failed,
            unknown,
            deregistered,
            never_registered,
            ..
        } = self.summary;
        let not_registered = if self.is_all {
            0
        } else {
            deregistered + never_registered
        };
        if verified_only + failed + not_registered > 0 {
            Outcome::Failure
        } else if unknown > 0 {
            Outcome::Unknown
        } else {
            Outcome::Success
        }
    }

    /// Tools with the same `metadataURI`.
    fn duplicates(&self) -> BTreeMap<String, Vec<String>> {
        let urls = self.urls.iter().map(|(tool, url)| (*tool, url.as_str()));
        duplicates(urls)
            .into_iter()
            .map(|(url, mut tools)| {
                tools.sort_unstable_by_key(ToolRef::id);
                (url, tools.iter().map(ToString::to_string).collect())
            })
            .collect()
    }

    fn total(&self) -> String {
        let Summary {
            tools,
            usable,
            verified_only,
            failed,
            unknown,
            deregistered,
            never_registered,
        } = self.summary;
        let parts = [
            (usable, "verified"),
            (verified_only, "verified but not usable"),
            (failed, "failed"),
            (unknown, "unknown"),
            (deregistered, "deregistered"),
            (never_registered, "not registered"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts
            .map(|(count, status)| format!("{count} {status}"))
            .collect();
        match tools {
            0 => "no tools".to_owned(),
            _ => format!("{}: {}", count_noun(tools, "tool"), parts.join(", ")),
        }
    }
}

impl Serialize for VerifyReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("VerifyReport", 2)?;
        report.serialize_field("summary", &self.summary)?;
        report.serialize_field("duplicates", &self.duplicates())?;
        report.end()
    }
}

impl Report for VerifyReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for (verdict, details) in &self.tools {
            text += &headline(verdict, Some(details), palette);
        }
        for (verdict, details) in &self.tools {
            let details = render_details(verdict, details, palette);
            let _ = write!(text, "\n{details}");
        }
        if self.tools.len() > 1 {
            text.push('\n');
        }
        for (url, tools) in self.duplicates() {
            let _ = writeln!(
                text,
                "{} {} tools have the manifest URL {}:",
                palette.warning("warning:"),
                tools.len(),
                atr_ids::sanitize(&url)
            );
            for tool in tools {
                let _ = writeln!(text, "  {tool}");
            }
        }
        // The headline of a single tool says the same.
        if self.is_all || self.tools.len() != 1 {
            let _ = writeln!(text, "{}", palette.heading(&self.total()));
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}

/// One verdict.
#[derive(Debug, Serialize)]
pub(crate) struct ToolView<'a> {
    #[serde(flatten)]
    pub(crate) verdict: &'a Verdict,
    /// `None` in a run over all tools.
    #[serde(flatten)]
    pub(crate) details: Option<&'a ToolDetails>,
}

/// Text of a tool in a run over all tools: nothing if it passed, or if it is deregistered.
impl Report for ToolView<'_> {
    fn render(&self, palette: &Palette) -> String {
        let verdict = self.verdict;
        if verdict.is_usable() || verdict.status() == Status::Deregistered {
            return String::new();
        }
        headline(verdict, None, palette) + &render_problems(verdict, palette) + "\n"
    }
}
