//! `links` of a requirement: names to https URLs, at most 2,048 bytes each.

use atr_ids::excerpt;

use super::{access::requirements, scope::Scope};
use crate::{Code, Kind, LONG_LINK_NAME_BYTES, MAX_URL_BYTES, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    for entry in requirements(scope).filter(|entry| entry.kind() == Kind::Object) {
        let Some(links) = scope.optional(entry, "links", Kind::Object) else {
            continue;
        };
        for (name, link) in links.members() {
            if scope.is_full() {
                return;
            }
            check_name(scope, name, || links.pointer());
            let Some(link) = scope.of_kind(link, Kind::String) else {
                continue;
            };
            let bytes = link.as_str().unwrap_or_default().len();
            if bytes > MAX_URL_BYTES {
                scope.refuse(Violation {
                    code: Code::LinkTooLong,
                    pointer: link.pointer(),
                    found: format!("{bytes} bytes"),
                    allowed: format!("at most {MAX_URL_BYTES} bytes").into(),
                    fix: "give a shorter URL".into(),
                });
            } else {
                scope.https_url(link);
            }
        }
    }
}

/// Names are short labels; "the same length cap applies" (T-29).
fn check_name(scope: &mut Scope<'_>, name: &str, pointer: impl Fn() -> crate::Pointer) {
    let bytes = name.len();
    let violation = |code: Code, max: usize| Violation {
        code,
        pointer: pointer(),
        found: format!("a name of {bytes} bytes, \"{}\"", excerpt(name)),
        allowed: format!("at most {max} bytes").into(),
        fix: "name the link in a word or two, such as \"docs\"".into(),
    };
    if bytes > MAX_URL_BYTES {
        scope.refuse(violation(Code::LinkNameTooLong, MAX_URL_BYTES));
    } else if bytes > LONG_LINK_NAME_BYTES && !scope.is_full_of_warnings() {
        scope.warn(violation(Code::LinkNameLong, LONG_LINK_NAME_BYTES));
    }
}
