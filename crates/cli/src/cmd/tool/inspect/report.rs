use std::fmt::Write;

use alloy_primitives::{Address, B256};
use atr_verify::{Status, Verdict};
use serde::Serialize;

use crate::{
    cmd::verify::summarize,
    outcome::Outcome,
    output::{Palette, PredicateView, Report, describe_requirements},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InspectReport {
    tool: String,
    status: Status,
    creator: Option<Address>,
    metadata_uri: Option<String>,
    registered_hash: Option<B256>,
    served_hash: Option<B256>,
    /// `None` for an open tool.
    predicate: Option<PredicateView>,
    verdict: Verdict,
}

impl InspectReport {
    pub(crate) fn new(verdict: Verdict, predicate: Option<PredicateView>) -> Self {
        let evidence = &verdict.evidence();
        Self {
            tool: verdict.tool().to_string(),
            status: verdict.status(),
            creator: evidence.creator,
            metadata_uri: evidence.metadata_uri.clone(),
            registered_hash: evidence.registered_hash,
            served_hash: evidence.served_hash,
            predicate,
            verdict,
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.status {
            Status::Verified if self.verdict.is_usable() => Outcome::Success,
            Status::Unknown => Outcome::Unknown,
            _ => Outcome::Failure,
        }
    }

    fn served_hash(&self, palette: &Palette) -> String {
        match (self.served_hash, self.registered_hash) {
            (Some(served), Some(registered)) if served == registered => {
                format!("{served:#x} ({})", palette.success("match"))
            }
            (Some(served), _) => format!("{served:#x} ({})", palette.error("mismatch")),
            (None, _) if self.status == Status::Unknown => {
                palette.warning("unknown: the manifest could not be fetched")
            }
            (None, _) => palette.error("none: there is no valid manifest"),
        }
    }
}

impl Report for InspectReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<15}  {value}");
        };
        line("tool", &self.tool);
        line("verdict", &summarize(&self.verdict, palette));
        if let (Some(creator), Some(uri), Some(hash)) =
            (self.creator, &self.metadata_uri, self.registered_hash)
        {
            line("creator", &creator.to_string());
            line("manifest", &atr_ids::sanitize(uri));
            line("registered hash", &format!("{hash:#x}"));
            line("served hash", &self.served_hash(palette));
            let predicate = self.predicate.as_ref().map(PredicateView::title);
            line(
                "predicate",
                predicate.as_deref().unwrap_or("none: open to everyone"),
            );
        }
        if let Some(predicate) = &self.predicate {
            for requirement in describe_requirements(&predicate.requirements) {
                line("", &requirement);
            }
            text += &predicate.render_warnings(palette);
        }
        if let Some(failure) = self.verdict.failure() {
            let _ = writeln!(text, "{} {}", palette.heading("cause:"), failure.cause);
            let _ = writeln!(text, "{} {}", palette.heading("fix:"), failure.fix);
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
