//! The verdicts on one tool, some, or all.

use std::{collections::BTreeMap, fmt::Write};

use atr_verify::{Status, Verdict, duplicates};
use serde::Serialize;

use super::verdict::{headline, verdict_text};
use crate::{
    outcome::Outcome,
    output::{Palette, Report},
};

/// Verdicts in the order they were asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerifyReport {
    summary: Summary,
    verdicts: Vec<Verdict>,
    /// Tools that share one `metadataURI`. None of them is picked.
    duplicates: BTreeMap<String, Vec<String>>,
    /// Whether tools that hold are told in one line.
    #[serde(skip)]
    brief: bool,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    tools: usize,
    usable: usize,
    /// Verified, and not to be relied on for another reason.
    verified_only: usize,
    unverified: usize,
    unknown: usize,
    deregistered: usize,
    never_registered: usize,
}

impl VerifyReport {
    /// The report on tools that were named, in full.
    pub(crate) fn of(verdicts: Vec<Verdict>) -> Self {
        Self::new(verdicts, false)
    }

    /// The report on all tools: what holds is told in one line.
    pub(crate) fn of_all(verdicts: Vec<Verdict>) -> Self {
        Self::new(verdicts, true)
    }

    fn new(verdicts: Vec<Verdict>, brief: bool) -> Self {
        let mut summary = Summary {
            tools: verdicts.len(),
            ..Summary::default()
        };
        for verdict in &verdicts {
            let count = match verdict.status() {
                Status::Verified if verdict.is_usable() => &mut summary.usable,
                Status::Verified => &mut summary.verified_only,
                Status::Unverified => &mut summary.unverified,
                Status::Unknown => &mut summary.unknown,
                Status::Deregistered => &mut summary.deregistered,
                Status::NeverRegistered => &mut summary.never_registered,
            };
            *count += 1;
        }
        let places = verdicts.iter().filter_map(|verdict| {
            Some((verdict.tool(), verdict.evidence().metadata_uri.as_deref()?))
        });
        let groups = duplicates(places).into_iter();
        let duplicates = groups.map(|(uri, tools)| {
            let tools = tools.iter().map(ToString::to_string);
            (uri, tools.collect())
        });
        Self {
            summary,
            duplicates: duplicates.collect(),
            verdicts,
            brief,
        }
    }

    /// A no among them is a no; without one, what could not be told leaves it open. Of all tools, those that were taken
    /// back are no fault.
    pub(crate) const fn outcome(&self) -> Outcome {
        let Summary {
            verified_only,
            unverified,
            unknown,
            deregistered,
            never_registered,
            ..
        } = self.summary;
        let gone = if self.brief {
            0
        } else {
            deregistered + never_registered
        };
        if verified_only + unverified + gone > 0 {
            Outcome::No
        } else if unknown > 0 {
            Outcome::Unknown
        } else {
            Outcome::Yes
        }
    }

    fn total(&self) -> String {
        let Summary {
            tools,
            usable,
            verified_only,
            unverified,
            unknown,
            deregistered,
            never_registered,
        } = self.summary;
        let parts = [
            (usable, "verified"),
            (verified_only, "verified but not usable"),
            (unverified, "unverified"),
            (unknown, "could not be told"),
            (deregistered, "deregistered"),
            (never_registered, "never registered"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match tools {
            0 => "no tools".to_owned(),
            1 => format!("1 tool: {}", parts.join(", ")),
            _ => format!("{tools} tools: {}", parts.join(", ")),
        }
    }
}

impl Report for VerifyReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for verdict in &self.verdicts {
            let is_told_in_a_line =
                self.brief && (verdict.is_usable() || verdict.status() == Status::Deregistered);
            if is_told_in_a_line {
                let _ = writeln!(text, "{}: {}", verdict.tool(), headline(verdict, palette));
            } else {
                text += &verdict_text(verdict, palette);
                if self.verdicts.len() > 1 {
                    text.push('\n');
                }
            }
        }
        for (uri, tools) in &self.duplicates {
            let _ = writeln!(
                text,
                "{} {} tools share {}:",
                palette.warning("warning:"),
                tools.len(),
                atr_ids::shown(uri)
            );
            for tool in tools {
                let _ = writeln!(text, "  {tool}");
            }
        }
        if self.verdicts.len() != 1 {
            let _ = writeln!(text, "{}", palette.heading(&self.total()));
        }
        text
    }
}
