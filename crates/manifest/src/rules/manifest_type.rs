//! `type`: the manifest version. Unknown versions are rejected (T-18).

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, MANIFEST_TYPE, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(value) = context.required_member(Member::Type, Kind::String) else {
        return;
    };
    if value.as_str() == Some(MANIFEST_TYPE) {
        return;
    }
    let violation = Violation {
        code: Code::UnknownType,
        pointer: value.pointer(),
        found: display(value),
        allowed: format!("\"{MANIFEST_TYPE}\"").into(),
        fix: "use exactly this value; it is an identifier, not a link".into(),
    };
    if context.policy().accepts_unknown_types() {
        context.warn(violation);
    } else {
        context.reject(violation);
    }
}
