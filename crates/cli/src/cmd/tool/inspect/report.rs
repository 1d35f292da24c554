//! Everything that is known of a tool, on a page.

use std::fmt::Write;

use alloy_primitives::{Address, B256};
use atr_verify::{Status, Verdict};
use serde::Serialize;

use crate::cmd::verify::headline;
use crate::{
    outcome::Outcome,
    output::{GateView, Palette, Report, requirement_lines},
};

/// A tool: what the registry holds of it, what is served, who decides on access.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InspectReport {
    tool: String,
    status: Status,
    creator: Option<Address>,
    metadata_uri: Option<String>,
    onchain_hash: Option<B256>,
    live_hash: Option<B256>,
    /// Who decides on access; none leaves the tool open.
    gate: Option<GateView>,
    verdict: Verdict,
}

impl InspectReport {
    pub(crate) fn new(verdict: Verdict, gate: Option<GateView>) -> Self {
        let evidence = &verdict.evidence();
        Self {
            tool: verdict.tool().to_string(),
            status: verdict.status(),
            creator: evidence.creator,
            metadata_uri: evidence.metadata_uri.clone(),
            onchain_hash: evidence.onchain_hash,
            live_hash: evidence.live_hash,
            gate,
            verdict,
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.status {
            Status::Verified if self.verdict.is_usable() => Outcome::Yes,
            Status::Unknown => Outcome::Unknown,
            _ => Outcome::No,
        }
    }

    fn live_hash(&self, palette: &Palette) -> String {
        match (self.live_hash, self.onchain_hash) {
            (Some(live), Some(onchain)) if live == onchain => {
                format!("{live:#x} ({})", palette.good("the same"))
            }
            (Some(live), _) => format!("{live:#x} ({})", palette.error("another")),
            (None, _) if self.status == Status::Unknown => {
                palette.warning("not known: the manifest could not be fetched for now")
            }
            (None, _) => palette.error("none: there is nothing to hash"),
        }
    }
}

impl Report for InspectReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<12}  {value}");
        };
        line("tool", &self.tool);
        line("verdict", &headline(&self.verdict, palette));
        if let (Some(creator), Some(uri), Some(hash)) =
            (self.creator, &self.metadata_uri, self.onchain_hash)
        {
            line("creator", &creator.to_string());
            line("manifest", &atr_ids::shown(uri));
            line("onchain hash", &format!("{hash:#x}"));
            line("live hash", &self.live_hash(palette));
            let gate = self.gate.as_ref().map(GateView::title);
            line("gate", gate.as_deref().unwrap_or("none: open to everyone"));
        }
        if let Some(gate) = &self.gate {
            for requirement in requirement_lines(&gate.requirements) {
                line("", &requirement);
            }
            text += &gate.warnings(palette);
        }
        if let Some(failure) = self.verdict.failure() {
            let _ = writeln!(text, "{} {}", palette.heading("cause:"), failure.cause);
            let _ = writeln!(text, "{} {}", palette.heading("fix:"), failure.fix);
        }
        text
    }
}
