//! `networks`.

use atr_ids::ChainId;
use atr_manifest::Value;

use super::{Context, base_schema::rule_of};
use crate::{Finding, Profile, report::Findings};

/// P-09: CAIP-2 chain ids. The published lines do not check them.
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    if context.profile != Profile::Spec {
        return;
    }
    let networks = context.card.root().get("networks");
    for network in networks.into_iter().flat_map(Value::elements) {
        let Some(text) = network.as_str() else {
            continue;
        };
        let pointer = network.pointer();
        if text.parse::<ChainId>().is_ok() || findings.has(pointer.as_str()) {
            continue;
        }
        let rule = rule_of(pointer.as_str(), context);
        findings.violation(Finding::at(rule.code, network, rule.expected, rule.fix));
    }
}
