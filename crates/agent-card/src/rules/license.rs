//! `license`.

use atr_ids::HttpsUrl;
use spdx::{Expression, LicenseItem};

use super::{Context, base_schema::rule_of};
use crate::{Finding, Profile, report::Findings};

/// P-09: an SPDX expression of listed licenses, or the https URL of the license. The published lines do not check it.
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let Some(license) = context.card.root().get("license") else {
        return;
    };
    let Some(text) = license.as_str() else {
        return;
    };
    if context.profile != Profile::Spec || findings.has("/license") || is_documented(text) {
        return;
    }
    let rule = rule_of("/license", context);
    findings.violation(Finding::at(rule.code, license, rule.expected, rule.fix));
}

/// A license that the SPDX list names is documented; so is one whose text has a URL. `LicenseRef-…` alone is not.
fn is_documented(text: &str) -> bool {
    if text.parse::<HttpsUrl>().is_ok() {
        return true;
    }
    Expression::parse(text).is_ok_and(|expression| {
        let mut requirements = expression.requirements();
        requirements.all(|requirement| matches!(requirement.req.license, LicenseItem::Spdx { .. }))
    })
}
