//! `links` of a requirement: https URLs by name, at most 2,048 bytes each.

use atr_ids::excerpt;

use super::{access::requirements, context::RuleContext};
use crate::{Code, Kind, LONG_LINK_NAME_BYTES, MAX_URL_BYTES, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    for entry in requirements(context).filter(|entry| entry.kind() == Kind::Object) {
        let Some(links) = context.optional(entry, "links", Kind::Object) else {
            continue;
        };
        for (name, link) in links.members() {
            if context.is_full() {
                return;
            }
            check_name(context, name, || links.pointer());
            let Some(link) = context.expect_kind(link, Kind::String) else {
                continue;
            };
            let bytes = link.as_str().unwrap_or_default().len();
            if bytes > MAX_URL_BYTES {
                context.reject(Violation {
                    code: Code::LinkTooLong,
                    pointer: link.pointer(),
                    found: format!("{bytes} bytes"),
                    allowed: format!("at most {MAX_URL_BYTES} bytes").into(),
                    fix: "use a shorter URL".into(),
                });
            } else {
                context.https_url(link);
            }
        }
    }
}

/// The limit of link URLs also applies to link names (T-29).
fn check_name(context: &mut RuleContext<'_>, name: &str, pointer: impl Fn() -> crate::Pointer) {
    let bytes = name.len();
    let violation = |code: Code, max: usize| Violation {
        code,
        pointer: pointer(),
        found: format!("a link name of {bytes} bytes, \"{}\"", excerpt(name)),
        allowed: format!("at most {max} bytes").into(),
        fix: "use a short name such as \"docs\"".into(),
    };
    if bytes > MAX_URL_BYTES {
        context.reject(violation(Code::LinkNameTooLong, MAX_URL_BYTES));
    } else if bytes > LONG_LINK_NAME_BYTES && !context.has_max_warnings() {
        context.warn(violation(Code::LinkNameLong, LONG_LINK_NAME_BYTES));
    }
}
