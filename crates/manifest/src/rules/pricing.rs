//! `pricing`: absent, or an array of 1 to 32 entries. `[]`, `null` and the object form of a guide refuse the manifest.

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, MAX_PRICING_ENTRIES, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(pricing) = scope.optional_member(Member::Pricing, Kind::Array) else {
        return;
    };
    let violation = |code: Code, found: String, fix: String| Violation {
        code,
        pointer: pricing.pointer(),
        found,
        allowed: format!("1 to {MAX_PRICING_ENTRIES} entries, or no `pricing` at all").into(),
        fix: fix.into(),
    };
    let count = pricing.len();
    if count == 0 {
        let fix = "remove `pricing` if the tool is free, or list a way to pay".to_owned();
        scope.refuse(violation(Code::EmptyPricing, shown(pricing), fix));
    }
    if count > MAX_PRICING_ENTRIES {
        let fix = format!("remove {}", count - MAX_PRICING_ENTRIES);
        scope.refuse(violation(
            Code::TooManyPrices,
            format!("{count} entries"),
            fix,
        ));
    }
}
