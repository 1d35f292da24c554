//! `maxAge`: how long a consumer may rely on what it read. Informal, so a wrong one is ignored rather than refused (T-33).

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Pointer, Role, Violation, seconds};

pub(super) fn check(scope: &mut Scope<'_>) {
    match scope.member(Member::MaxAge) {
        Some(age) if seconds::of(age).is_none() => {
            scope.warn(Violation {
                code: Code::BadMaxAge,
                pointer: age.pointer(),
                found: shown(age),
                allowed: "a whole number of seconds, 0 or more".into(),
                fix: "write seconds, such as 300; as it is, it is ignored".into(),
            });
        }
        None if scope
            .member(Member::Pricing)
            .is_some_and(|prices| !prices.is_empty())
            && scope.policy().role() == Role::Producer =>
        {
            scope.warn(Violation {
                code: Code::PaidWithoutMaxAge,
                pointer: Pointer::root().member("maxAge"),
                found: "nothing, on a paid tool".to_owned(),
                allowed: "0 for tools that are paid, sign or change state".into(),
                fix: "add \"maxAge\": 0, so that no one pays a price from a cache".into(),
            });
        }
        _ => {}
    }
}
