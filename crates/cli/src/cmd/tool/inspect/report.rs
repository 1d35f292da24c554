use alloy_primitives::{Address, B256};
use atr_verify::{Status, Verdict};
use serde::Serialize;

use crate::{
    cmd::verify::{headline, is_registered, render_checks},
    outcome::Outcome,
    output::{Palette, Report, ToolDetails, field},
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
    #[serde(flatten)]
    details: ToolDetails,
    verdict: Verdict,
}

impl InspectReport {
    pub(crate) fn new(verdict: Verdict, details: ToolDetails) -> Self {
        let evidence = &verdict.evidence();
        Self {
            tool: verdict.tool().to_string(),
            status: verdict.status(),
            creator: evidence.creator,
            metadata_uri: evidence.metadata_uri.clone(),
            registered_hash: evidence.registered_hash,
            served_hash: evidence.served_hash,
            details,
            verdict,
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.status {
            Status::Verified if self.verdict.is_usable() => match self.details.predicate_error {
                None => Outcome::Success,
                Some(_) => Outcome::Unknown,
            },
            Status::Unknown => Outcome::Unknown,
            _ => Outcome::Failure,
        }
    }

    /// Creator, manifest URL and hashes.
    fn registration(&self, palette: &Palette) -> String {
        let (Some(creator), Some(uri), Some(hash)) =
            (self.creator, &self.metadata_uri, self.registered_hash)
        else {
            return String::new();
        };
        let mut text = field("creator", &creator.to_string());
        text += &field("manifest", &atr_ids::sanitize(uri));
        text += &field("hash", &format!("{hash:#x}"));
        text + &field("served hash", &self.served_hash(palette))
    }

    fn served_hash(&self, palette: &Palette) -> String {
        match (self.served_hash, self.registered_hash) {
            (Some(served), Some(registered)) if served == registered => palette.success("matches"),
            (Some(served), _) => format!("{served:#x} {}", palette.error("(mismatch)")),
            (None, _) if self.status == Status::Unknown => {
                palette.warning("unknown: the manifest could not be fetched")
            }
            (None, _) => palette.error("none: there is no valid manifest"),
        }
    }
}

impl Report for InspectReport {
    fn render(&self, palette: &Palette) -> String {
        let verdict = &self.verdict;
        let mut text = headline(verdict, Some(&self.details), palette);
        let summary = verdict.summary();
        if let Some(description) = summary.and_then(|summary| summary.description.as_ref()) {
            text += &format!("\n{}\n", atr_ids::sanitize(description));
        }
        text += &format!("\n{}", field("tool", &self.tool));
        if !is_registered(verdict) {
            return text;
        }
        text += &self.details.render(summary);
        let predicate = self.details.predicate.as_ref();
        if let Some(predicate) = predicate {
            text += &field("predicate", &predicate.title());
        }
        text += &self.registration(palette);
        text += &render_checks(verdict, false, palette);
        text += &predicate.map_or_else(String::new, |predicate| predicate.render_warnings(palette));
        if predicate.is_some() && verdict.is_usable() {
            text += &palette.next(&format!("atr access check {} <ACCOUNT>", self.tool));
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
