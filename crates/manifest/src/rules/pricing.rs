//! `pricing`: absent, or an array of 1 to 32 entries. `[]`, `null` and an object are invalid.

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, MAX_PRICING_ENTRIES, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(pricing) = context.optional_member(Member::Pricing, Kind::Array) else {
        return;
    };
    let violation = |code: Code, found: String, fix: String| Violation {
        code,
        pointer: pricing.pointer(),
        found,
        allowed: format!("1 to {MAX_PRICING_ENTRIES} entries, or no `pricing`").into(),
        fix: fix.into(),
    };
    let count = pricing.len();
    if count == 0 {
        let fix = "remove `pricing` if the tool is free, or add a price".to_owned();
        context.reject(violation(Code::EmptyPricing, display(pricing), fix));
    }
    if count > MAX_PRICING_ENTRIES {
        let fix = format!("remove {} entries", count - MAX_PRICING_ENTRIES);
        context.reject(violation(
            Code::TooManyPrices,
            format!("{count} entries"),
            fix,
        ));
    }
}
