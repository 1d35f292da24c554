//! `access`: AND or OR of 1 to 256 requirements. A hint only: the onchain predicate decides.

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, MAX_REQUIREMENTS, Value, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(access) = context.optional_member(Member::Access, Kind::Object) else {
        return;
    };
    if let Some(logic) = context.required(access, "logic", Kind::String)
        && !matches!(logic.as_str(), Some("AND" | "OR"))
    {
        context.reject(Violation {
            code: Code::BadLogic,
            pointer: logic.pointer(),
            found: display(logic),
            allowed: "\"AND\" or \"OR\"".into(),
            fix: "use \"AND\" if all requirements must be met, \"OR\" if one is enough".into(),
        });
    }
    let Some(list) = context.required(access, "requirements", Kind::Array) else {
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
        let fix = "remove `access` if the tool is open, or list its requirements".to_owned();
        context.reject(violation(Code::EmptyRequirements, display(list), fix));
    }
    if count > MAX_REQUIREMENTS {
        let fix = format!("remove {} requirements", count - MAX_REQUIREMENTS);
        context.reject(violation(
            Code::TooManyRequirements,
            format!("{count} requirements"),
            fix,
        ));
    }
}

/// The elements of `access.requirements`, unchecked.
pub(super) fn requirements<'a>(
    context: &RuleContext<'a>,
) -> impl Iterator<Item = Value<'a>> + use<'a> {
    let list = context
        .member(Member::Access)
        .and_then(|access| access.get("requirements"));
    list.into_iter().flat_map(Value::elements)
}
