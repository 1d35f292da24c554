//! Why something is not registered.

use std::fmt::Write;

use atr_verify::{FailedCheck, Rejection};
use serde::Serialize;

use crate::{
    cmd::{manifest::list_findings, verify::why},
    outcome::Outcome,
    output::{Palette, Report},
};

/// Why a manifest is not registered, or its registration not brought up to date. Nothing was signed or sent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefusalReport {
    place: String,
    refused: Rejection,
    #[serde(skip)]
    verb: &'static str,
}

impl RefusalReport {
    pub(crate) const fn of_registration(place: String, refused: Rejection) -> Self {
        Self {
            place,
            refused,
            verb: "registered",
        }
    }

    pub(crate) const fn of_update(place: String, refused: Rejection) -> Self {
        Self {
            place,
            refused,
            verb: "updated",
        }
    }

    fn headline(&self, palette: &Palette) -> String {
        if self.refused.is_retryable {
            return palette.warning("could not be fetched for now; nothing was decided");
        }
        palette.error(&format!(
            "not {}, because consumers would refuse it",
            self.verb
        ))
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        if self.refused.is_retryable {
            Outcome::Unknown
        } else {
            Outcome::No
        }
    }
}

impl Report for RefusalReport {
    fn human(&self, palette: &Palette) -> String {
        let place = atr_ids::shown(&self.place);
        let mut text = format!("{place}: {}\n", self.headline(palette));
        for FailedCheck { check, failure } in &self.refused.checks {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  check {} ({check}) {}\n{}",
                check.number(),
                if self.refused.is_retryable {
                    "could not be made"
                } else {
                    "would fail"
                },
                why(failure, palette).trim_end()
            );
        }
        if let Some(rules) = self
            .refused
            .rules
            .as_ref()
            .filter(|rules| !rules.is_valid())
        {
            let _ = write!(
                text,
                "  the manifest's own rules: {}\n{}",
                palette.error("broken"),
                list_findings(&rules.violations, palette)
            );
        }
        text.push_str("\nNothing was signed or sent.\n");
        text
    }
}
