//! Members the ERC does not define: kept and hashed, never read as anything else. Their names should be namespaced.

use atr_ids::excerpt;

use super::{member::Member, scope::Scope};
use crate::{Code, Pointer, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    if !scope.has_extensions() {
        return;
    }
    for (name, _) in scope.root().members() {
        if Member::named(name).is_some() || is_reverse_dns(name) {
            continue;
        }
        if scope.is_full_of_warnings() {
            return;
        }
        let meant = Member::NAMES.iter().find(|defined| is_near(name, defined));
        if let Some(meant) = meant {
            scope.warn(Violation {
                code: Code::Lookalike,
                pointer: Pointer::root().member(name),
                found: format!("a member called \"{}\"", excerpt(name)),
                allowed: format!("`{meant}`, or a name that cannot be taken for it").into(),
                fix: format!(
                    "rename it to \"{meant}\" if that is meant; as it is, nobody reads it"
                )
                .into(),
            });
        } else if !name.starts_with("x-") {
            scope.warn(Violation {
                code: Code::BareExtension,
                pointer: Pointer::root().member(name),
                found: format!("a member called \"{}\"", excerpt(name)),
                allowed: "members of ERC-8257, or names in reverse-DNS form".into(),
                fix: format!(
                    "rename it, for instance to \"com.example.{}\"",
                    excerpt(name)
                )
                .into(),
            });
        }
    }
}

/// Whether a name is a defined one but for case, separators or a legacy prefix.
fn is_near(name: &str, defined: &str) -> bool {
    let bare = name.strip_prefix("x-").unwrap_or(name);
    let folded: String = bare
        .chars()
        .filter(|character| !matches!(character, '-' | '_' | ' '))
        .collect();
    folded.eq_ignore_ascii_case(defined)
}

/// Whether a name is of the form `io.example.thing`: a domain backwards, then a name.
pub(crate) fn is_reverse_dns(text: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let mut parts = text.split('.');
    let is_top = parts
        .next()
        .is_some_and(|top| top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let mut count = 0;
    is_top
        && parts.all(|part| {
            count += 1;
            is_part(part)
        })
        && count >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverse_dns_names_are_told_from_others() {
        for name in [
            "io.opensea.paymentHint",
            "io.phala.tee-sidevm",
            "com.example",
        ] {
            assert!(is_reverse_dns(name), "{name}");
        }
        for name in [
            "",
            "io",
            "io.",
            ".io",
            "io..x",
            "serverless",
            "1.2",
            "io.-x",
            "io.x y",
            "x-y.z",
        ] {
            assert!(!is_reverse_dns(name), "{name}");
        }
    }

    #[test]
    fn names_near_a_defined_one_are_noticed() {
        for name in ["Endpoint", "x-endpoint", "END_POINT"] {
            assert!(is_near(name, "endpoint"), "{name}");
        }
        assert!(!is_near("endpoints", "endpoint"));
    }
}
