//! `maxAge`: how long consumers may cache a verification. Not normative, so an invalid value is ignored with a warning (T-33).

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Pointer, Role, Violation, seconds};

pub(super) fn check(context: &mut RuleContext<'_>) {
    match context.member(Member::MaxAge) {
        Some(age) if seconds::from_value(age).is_none() => {
            context.warn(Violation {
                code: Code::BadMaxAge,
                pointer: age.pointer(),
                found: display(age),
                allowed: "a whole number of seconds, 0 or more".into(),
                fix: "use a number of seconds such as 300; an invalid value is ignored".into(),
            });
        }
        None if context
            .member(Member::Pricing)
            .is_some_and(|prices| !prices.is_empty())
            && context.policy().role() == Role::Producer =>
        {
            context.warn(Violation {
                code: Code::PaidWithoutMaxAge,
                pointer: Pointer::root().member("maxAge"),
                found: "no `maxAge` on a paid tool".to_owned(),
                allowed: "0 for tools that are paid, sign or change state".into(),
                fix: "add \"maxAge\": 0, so that clients do not use a cached price".into(),
            });
        }
        _ => {}
    }
}
