//! Extension members: preserved and hashed, without a defined meaning. Their names should be namespaced. A name that resembles a
//! defined one is probably a misspelling.

use atr_ids::excerpt;

use super::{
    access::requirements, attestation::verifiability, context::RuleContext, member::Member,
};
use crate::{Code, Pointer, Value, Violation};

/// Minimum Jaro similarity of a misspelling.
const SIMILARITY: f64 = 0.85;

/// Longer names are not compared.
const MAX_COMPARED_BYTES: usize = 64;

const PRICE: &[&str] = &["amount", "asset", "recipient", "protocol"];
const ACCESS: &[&str] = &["logic", "requirements"];
const REQUIREMENT: &[&str] = &["kind", "data", "label", "links"];
const VERIFIABILITY: &[&str] = &[
    "tier",
    "execution",
    "description",
    "dataRetention",
    "sourceVisibility",
    "attestation",
    "reproducibleBuild",
];
const ATTESTATION: &[&str] = &[
    "type",
    "endpoint",
    "enclaveHash",
    "transparencyLogURI",
    "maxAge",
];
const REPRODUCIBLE_BUILD: &[&str] = &["sourceCodeURI", "buildInstructions", "buildHash"];

pub(super) fn check(context: &mut RuleContext<'_>) {
    check_top_level(context);
    check_nested(context);
}

fn check_top_level(context: &mut RuleContext<'_>) {
    if !context.has_extensions() {
        return;
    }
    let root = context.root();
    for (name, _) in root.members() {
        if Member::from_name(name).is_some() || is_reverse_dns(name) {
            continue;
        }
        if context.has_max_warnings() {
            return;
        }
        if let Some(similar) = find_similar(root, name, &Member::NAMES) {
            context.warn(lookalike(Pointer::root(), name, similar));
        } else if !name.starts_with("x-") {
            let rename = format!(
                "use a reverse-DNS name such as \"com.example.{}\"",
                excerpt(name)
            );
            // Not a lookalike: the member that it resembles is there too.
            let fix = match misspelled(name, &Member::NAMES) {
                Some(member) => {
                    format!("remove it if it is a misspelling of \"{member}\", otherwise {rename}")
                }
                None => rename,
            };
            context.warn(Violation {
                code: Code::BareExtension,
                pointer: Pointer::root().member(name),
                found: format!("member \"{}\"", excerpt(name)),
                allowed: "members of ERC-8257, or reverse-DNS names".into(),
                fix: fix.into(),
            });
        }
    }
}

/// Other members of nested objects are ignored without a warning (T-17).
fn check_nested(context: &mut RuleContext<'_>) {
    let prices = context
        .member(Member::Pricing)
        .into_iter()
        .flat_map(Value::elements);
    let claims = verifiability(context);
    let claim = |name: &str| claims.and_then(|claims| claims.get(name));
    let objects = prices
        .map(|price| (price, PRICE))
        .chain(
            context
                .member(Member::Access)
                .map(|access| (access, ACCESS)),
        )
        .chain(requirements(context).map(|entry| (entry, REQUIREMENT)))
        .chain(claims.map(|claims| (claims, VERIFIABILITY)))
        .chain(claim("attestation").map(|attestation| (attestation, ATTESTATION)))
        .chain(claim("reproducibleBuild").map(|build| (build, REPRODUCIBLE_BUILD)));
    for (object, defined) in objects {
        for (name, _) in object.members() {
            if let Some(similar) = find_similar(object, name, defined) {
                if context.has_max_warnings() {
                    return;
                }
                context.warn(lookalike(object.pointer(), name, similar));
            }
        }
    }
}

fn lookalike(object: Pointer, name: &str, similar: &str) -> Violation {
    Violation {
        code: Code::Lookalike,
        pointer: object.member(name),
        found: format!("member \"{}\"", excerpt(name)),
        allowed: format!("`{similar}`, or a name that does not resemble it").into(),
        fix: format!("did you mean \"{similar}\"? consumers ignore this name").into(),
    }
}

/// The defined name that a member resembles. None for a defined name. A misspelling counts only if the defined member is absent.
fn find_similar<'a>(object: Value<'_>, name: &str, defined: &[&'a str]) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_BYTES || defined.contains(&name) {
        return None;
    }
    let same = defined.iter().find(|defined| is_similar(name, defined));
    let misspelled = || misspelled(name, defined).filter(|found| object.get(found).is_none());
    same.copied().or_else(misspelled)
}

/// The defined name that a name is a misspelling of.
fn misspelled<'a>(name: &str, defined: &[&'a str]) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let scored = defined
        .iter()
        .map(|defined| (strsim::jaro(name, defined), *defined));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right));
    best.filter(|(score, _)| *score >= SIMILARITY)
        .map(|(_, defined)| defined)
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
