//! `entry`.

use super::{Context, base_schema::MemberRule};
use crate::{Code, Finding, report::Findings};

/// P-08: name, verb and route version exactly. The entry is an identifier, compared as text (T-51).
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let Some(value) = context.card.root().get("entry") else {
        return;
    };
    let accepted = context.profile.entries(context.card);
    let Some(entry) = value.as_str() else {
        return;
    };
    let is_accepted = accepted.is_empty() || accepted.iter().any(|one| one == entry);
    // Without a valid name and verb there is nothing to compare with.
    let is_known = ["/entry", "/ens", "/implements/0"]
        .iter()
        .any(|at| findings.has(at));
    if is_accepted || is_known {
        return;
    }
    let rule = member_rule(context);
    findings.violation(Finding::at(rule.code, value, rule.expected, rule.fix));
}

pub(super) fn member_rule(context: Context<'_>) -> MemberRule {
    let accepted = context.profile.entries(context.card);
    let accepted: Vec<_> = accepted
        .iter()
        .map(|entry| atr_ids::sanitize(entry))
        .collect();
    let expected = if accepted.is_empty() {
        "x402://<ens>/<verb>/v1".to_owned()
    } else {
        accepted.join(" or ")
    };
    MemberRule {
        code: Code::Entry,
        expected: expected.into(),
        fix: "use the card's ens, implements[0] and the route version, in this form exactly".into(),
    }
}
