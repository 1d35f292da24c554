//! `version`: an optional semantic version. It has no default (E-09).

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(value) = context.optional_member(Member::Version, Kind::String) else {
        return;
    };
    if !is_semantic(value.as_str().unwrap_or_default()) {
        context.warn(Violation {
            code: Code::NotSemver,
            pointer: value.pointer(),
            found: display(value),
            allowed: "a semantic version such as \"1.0.0\"".into(),
            fix: "use major.minor.patch".into(),
        });
    }
}

/// Semantic Versioning 2.0.0: three numbers, then `-pre.release` and `+build`, each optional.
fn is_semantic(text: &str) -> bool {
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, Some(build)),
        None => (text, None),
    };
    let (core, pre_release) = match text.split_once('-') {
        Some((core, pre_release)) => (core, Some(pre_release)),
        None => (text, None),
    };
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_alphanumeric = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_identifier = |part: &str| {
        is_alphanumeric(part)
            && (is_number(part) || !part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre_release.is_none_or(|text| text.split('.').all(is_identifier))
        && build.is_none_or(|text| text.split('.').all(is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_semantic_versions() {
        for text in [
            "0.0.0",
            "1.0.0",
            "10.20.30",
            "1.0.0-rc.1",
            "1.0.0-0a",
            "1.0.0+001",
            "1.0.0-a-b.c+d-e",
        ] {
            assert!(is_semantic(text), "{text}");
        }
        for text in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0-01",
            "1.0.0+",
            "1.0.0-a..b",
            "1.0.x",
        ] {
            assert!(!is_semantic(text), "{text}");
        }
    }
}
