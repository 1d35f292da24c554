//! `access`: AND or OR over 1 to 256 requirements. A hint only: the contract on chain decides.

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, MAX_REQUIREMENTS, Value, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(access) = scope.optional_member(Member::Access, Kind::Object) else {
        return;
    };
    if let Some(logic) = scope.required(access, "logic", Kind::String)
        && !matches!(logic.as_str(), Some("AND" | "OR"))
    {
        scope.refuse(Violation {
            code: Code::BadLogic,
            pointer: logic.pointer(),
            found: shown(logic),
            allowed: "\"AND\" or \"OR\"".into(),
            fix: "write \"AND\" if all must be met, \"OR\" if one is enough".into(),
        });
    }
    let Some(list) = scope.required(access, "requirements", Kind::Array) else {
        return;
    };
    let count = list.len();
    let violation = |code: Code, found: String, fix: String| Violation {
        code,
        pointer: list.pointer(),
        found,
        allowed: format!("1 to {MAX_REQUIREMENTS} requirements").into(),
        fix: fix.into(),
    };
    if count == 0 {
        let fix = "remove `access` if the tool is open, or say what it requires".to_owned();
        scope.refuse(violation(Code::EmptyRequirements, shown(list), fix));
    }
    if count > MAX_REQUIREMENTS {
        let fix = format!("remove {}", count - MAX_REQUIREMENTS);
        scope.refuse(violation(
            Code::TooManyRequirements,
            format!("{count} requirements"),
            fix,
        ));
    }
}

/// The requirements, whatever they are.
pub(super) fn requirements<'a>(scope: &Scope<'a>) -> impl Iterator<Item = Value<'a>> + use<'a> {
    let list = scope
        .member(Member::Access)
        .and_then(|access| access.get("requirements"));
    list.into_iter().flat_map(Value::elements)
}
