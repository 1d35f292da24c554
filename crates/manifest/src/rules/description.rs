//! `description`: 1 to 500 code points, of control characters only LF, CR and TAB.

use super::{
    member::Member,
    scope::Scope,
    text::{self, TextRule},
};
use crate::{Kind, MAX_DESCRIPTION_CODE_POINTS};

/// The same for `verifiability.description`.
pub(super) const RULE: TextRule = TextRule {
    max_code_points: MAX_DESCRIPTION_CODE_POINTS,
    allows_breaks: true,
};

pub(super) fn check(scope: &mut Scope<'_>) {
    if let Some(value) = scope.required_member(Member::Description, Kind::String) {
        text::check(scope, value, &RULE);
    }
}
