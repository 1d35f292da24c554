//! `type`: the schema version. An unknown version cannot be read safely (T-18).

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, MANIFEST_TYPE, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(value) = scope.required_member(Member::Type, Kind::String) else {
        return;
    };
    if value.as_str() == Some(MANIFEST_TYPE) {
        return;
    }
    let violation = Violation {
        code: Code::UnknownType,
        pointer: value.pointer(),
        found: shown(value),
        allowed: format!("\"{MANIFEST_TYPE}\"").into(),
        fix: "write exactly that; it is an identifier, not a link".into(),
    };
    if scope.policy().accepts_unknown_types() {
        scope.warn(violation);
    } else {
        scope.refuse(violation);
    }
}
