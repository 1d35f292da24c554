//! `id`, `ens` and `version`.

use super::Context;
use crate::{Code, Finding, Profile, report::Findings};

/// P-02, P-03: what the schema's patterns do not cover.
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let root = context.card.root();
    if let (Some(id), Some(ens)) = (root.get("id"), context.card.ens())
        && id.as_str().is_some_and(|id| id != ens)
        && !findings.has("/id")
    {
        let finding = Finding::at(
            Code::IdDiffersFromEns,
            id,
            format!("\"{}\", the value of ens", atr_ids::excerpt(ens)),
            "use the ENS name as id, so that both name the same agent",
        );
        // The published line 1.1.0 requires it; the text says "typically".
        if context.profile == Profile::Published11 {
            findings.violation(finding);
        } else {
            findings.warning(finding);
        }
    }
    if let Some(version) = root.get("version")
        && let Some(text) = version.as_str()
        && context.profile != Profile::Published10
        && !findings.has("/version")
        && semver::Version::parse(text).is_err()
    {
        let rule = super::base_schema::rule_of("/version", context);
        findings.violation(Finding::at(rule.code, version, rule.expected, rule.fix));
    }
}
