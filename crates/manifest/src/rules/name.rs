//! `name`: 1 to 128 code points, no control characters.

use super::{
    context::RuleContext,
    member::Member,
    text::{self, TextRule},
};
use crate::{Kind, MAX_NAME_CODE_POINTS};

const RULE: TextRule = TextRule {
    max_code_points: MAX_NAME_CODE_POINTS,
    allows_breaks: false,
};

pub(super) fn check(context: &mut RuleContext<'_>) {
    if let Some(value) = context.required_member(Member::Name, Kind::String) {
        text::check(context, value, &RULE);
    }
}
