//! `created_at` and `updated_at`.

use super::{Context, base_schema::rule_of};
use crate::{Code, Finding, Timestamp, report::Findings};

/// P-10: existing dates, in order.
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let root = context.card.root();
    let [created, updated] = ["created_at", "updated_at"].map(|name| {
        let value = root.get(name)?;
        let text = value.as_str()?;
        let pointer = format!("/{name}");
        if findings.has(&pointer) {
            return None;
        }
        let parsed = text.parse::<Timestamp>();
        if parsed.is_err() {
            let rule = rule_of(&pointer, context);
            findings.violation(Finding::at(rule.code, value, rule.expected, rule.fix));
        }
        parsed.ok()
    });
    if let (Some(created), Some(updated), Some(value)) = (created, updated, root.get("updated_at"))
        && updated < created
    {
        let created = context.card.text("created_at").unwrap_or_default();
        findings.violation(Finding::at(
            Code::TimestampOrder,
            value,
            format!("{created} (created_at) or later"),
            "set updated_at to the time of the last change",
        ));
    }
}
