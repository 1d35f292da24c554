//! `description`: 1 to 500 code points; of the control characters only LF, CR and TAB.

use super::{
    context::RuleContext,
    member::Member,
    text::{self, TextRule},
};
use crate::{Kind, MAX_DESCRIPTION_CODE_POINTS};

/// Also applies to `verifiability.description`.
pub(super) const RULE: TextRule = TextRule {
    max_code_points: MAX_DESCRIPTION_CODE_POINTS,
    allows_breaks: true,
};

pub(super) fn check(context: &mut RuleContext<'_>) {
    if let Some(value) = context.required_member(Member::Description, Kind::String) {
        text::check(context, value, &RULE);
    }
}
