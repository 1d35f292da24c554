//! Report of a manifest that was rejected before registration or update.

use atr_verify::{Check, FailedCheck, Rejection};
use serde::Serialize;

use crate::{
    cmd::{manifest::render_findings, verify::render_failure},
    outcome::Outcome,
    output::{Palette, Report, Tone, count_noun, field},
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

    fn headline(&self) -> String {
        let Self {
            rejection, verb, ..
        } = self;
        if rejection.is_retryable {
            return format!("not {verb}: cannot fetch the manifest; try again later");
        }
        let mut checks = rejection.checks.iter();
        if rejection.is_unreached || checks.any(|failed| failed.check == Check::Fetch) {
            return format!("not {verb}: cannot fetch the manifest");
        }
        format!("not {verb}: consumers would reject the manifest")
    }

    /// Nothing is known about a manifest whose server was not reached.
    pub(crate) const fn outcome(&self) -> Outcome {
        if self.rejection.is_unreached {
            Outcome::Unknown
        } else {
            Outcome::Failure
        }
    }
}

impl Report for RejectionReport {
    fn render(&self, palette: &Palette) -> String {
        let url = atr_ids::sanitize(&self.manifest_url);
        let tone = if self.rejection.is_unreached {
            Tone::Uncertain
        } else {
            Tone::Bad
        };
        let headline = palette.tone(tone, &self.headline());
        let mut text = format!("{headline}\n{}", field("manifest", &url));
        for FailedCheck { check, failure } in &self.rejection.checks {
            let status = if self.rejection.is_unreached {
                "inconclusive"
            } else {
                "fail"
            };
            let value = format!("{}  {}", palette.tone(tone, status), check.description());
            text += &field(&format!("check {}", check.number()), &value);
            text += &render_failure(failure, None, palette);
        }
        if let Some(rules) = self
            .rejection
            .rules
            .as_ref()
            .filter(|rules| !rules.is_valid())
        {
            let value = format!(
                "{}  manifest rules: {}",
                palette.error("fail"),
                count_noun(rules.violations.len(), "violation")
            );
            text += &field("rules", &value);
            text += &render_findings(&rules.violations, palette);
        }
        text.push_str("\nNothing was signed or sent.\n");
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }

    fn refusal(&self) -> Option<String> {
        Some(self.headline())
    }
}
