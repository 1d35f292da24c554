//! Report of a manifest that was rejected before registration or update.

use std::fmt::Write;

use atr_verify::{FailedCheck, Rejection};
use serde::Serialize;

use crate::{
    cmd::{manifest::render_findings, verify::render_failure},
    outcome::Outcome,
    output::{Palette, Report},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RejectionReport {
    manifest_url: String,
    rejection: Rejection,
    #[serde(skip)]
    verb: &'static str,
}

impl RejectionReport {
    pub(crate) const fn for_registration(manifest_url: String, rejection: Rejection) -> Self {
        Self {
            manifest_url,
            rejection,
            verb: "registered",
        }
    }

    pub(crate) const fn for_update(manifest_url: String, rejection: Rejection) -> Self {
        Self {
            manifest_url,
            rejection,
            verb: "updated",
        }
    }

    fn headline(&self, palette: &Palette) -> String {
        if self.rejection.is_retryable {
            return palette.warning("the manifest could not be fetched; try again later");
        }
        palette.error(&format!(
            "not {}: consumers would reject the manifest",
            self.verb
        ))
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        if self.rejection.is_retryable {
            Outcome::Unknown
        } else {
            Outcome::Failure
        }
    }
}

impl Report for RejectionReport {
    fn render(&self, palette: &Palette) -> String {
        let url = atr_ids::sanitize(&self.manifest_url);
        let mut text = format!("{url}: {}\n", self.headline(palette));
        for FailedCheck { check, failure } in &self.rejection.checks {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  check {} ({check}): {}\n{}",
                check.number(),
                if self.rejection.is_retryable {
                    "inconclusive"
                } else {
                    "fail"
                },
                render_failure(failure, None, palette).trim_end()
            );
        }
        if let Some(rules) = self
            .rejection
            .rules
            .as_ref()
            .filter(|rules| !rules.is_valid())
        {
            let _ = write!(
                text,
                "  manifest rules: {}\n{}",
                palette.error("fail"),
                render_findings(&rules.violations, palette)
            );
        }
        text.push_str("\nNothing was signed or sent.\n");
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
