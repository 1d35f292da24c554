//! Extension members: preserved and hashed, without a defined meaning. Their names should be namespaced.

use atr_ids::excerpt;

use super::{context::RuleContext, member::Member};
use crate::{Code, Pointer, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    if !context.has_extensions() {
        return;
    }
    for (name, _) in context.root().members() {
        if Member::from_name(name).is_some() || is_reverse_dns(name) {
            continue;
        }
        if context.has_max_warnings() {
            return;
        }
        let similar = Member::NAMES
            .iter()
            .find(|defined| is_similar(name, defined));
        if let Some(similar) = similar {
            context.warn(Violation {
                code: Code::Lookalike,
                pointer: Pointer::root().member(name),
                found: format!("member \"{}\"", excerpt(name)),
                allowed: format!("`{similar}`, or a name that does not resemble it").into(),
                fix: format!(
                    "rename it to \"{similar}\" if you mean that member; consumers ignore this name"
                )
                .into(),
            });
        } else if !name.starts_with("x-") {
            context.warn(Violation {
                code: Code::BareExtension,
                pointer: Pointer::root().member(name),
                found: format!("member \"{}\"", excerpt(name)),
                allowed: "members of ERC-8257, or reverse-DNS names".into(),
                fix: format!(
                    "use a reverse-DNS name such as \"com.example.{}\"",
                    excerpt(name)
                )
                .into(),
            });
        }
    }
}

/// Whether a name equals a defined one except for case, separators or the prefix `x-`.
fn is_similar(name: &str, defined: &str) -> bool {
    let bare = name.strip_prefix("x-").unwrap_or(name);
    let folded: String = bare
        .chars()
        .filter(|character| !matches!(character, '-' | '_' | ' '))
        .collect();
    folded.eq_ignore_ascii_case(defined)
}

/// Whether a name has reverse-DNS form, such as `io.example.thing`.
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
    fn detects_reverse_dns_names() {
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
    fn detects_names_similar_to_a_defined_one() {
        for name in ["Endpoint", "x-endpoint", "END_POINT"] {
            assert!(is_similar(name, "endpoint"), "{name}");
        }
        assert!(!is_similar("endpoints", "endpoint"));
    }
}
