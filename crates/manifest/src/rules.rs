//! Manifest rules, one file each, in the order of the specification.

mod access;
mod attestation;
mod context;
mod creator_address;
mod description;
mod endpoint;
mod extensions;
mod hex_case;
mod image;
mod links;
mod manifest_type;
mod max_age;
mod member;
mod name;
mod nfc;
mod pricing;
mod pricing_entry;
mod reproducible_build;
mod requirement;
mod safe_numbers;
mod schema_limits;
mod schema_refs;
mod schemas;
mod tags;
mod text;
mod tier;
mod verifiability;
mod version;

use context::RuleContext;
pub(crate) use extensions::is_reverse_dns;

use crate::{Code, Document, Findings, Kind, Pointer, Policy, Violation};

/// A manifest rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name of the rule, equal to its file name.
    pub name: &'static str,
    /// Requirement ids of `tests/requirements.md`.
    pub requirements: &'static [&'static str],
    check: fn(&mut RuleContext<'_>),
}

/// All rules, in the order in which findings are reported. The first two decide whether the document has a canonical hash: they
/// run first, so that other findings cannot use up their budget.
pub const RULES: &[Rule] = &[
    rule("nfc", &["F-03", "F-04"], nfc::check),
    rule("hex_case", &["E-22", "F-08"], hex_case::check),
    rule("safe_numbers", &["T-14"], safe_numbers::check),
    rule("manifest_type", &["E-01", "E-02"], manifest_type::check),
    rule("name", &["E-01", "E-03"], name::check),
    rule("description", &["E-01", "E-04"], description::check),
    rule("endpoint", &["E-01", "E-05", "E-06"], endpoint::check),
    rule("schemas", &["E-01", "E-07"], schemas::check),
    rule("schema_limits", &["I-05", "I-06"], schema_limits::check),
    rule("schema_refs", &["J-08"], schema_refs::check),
    rule("creator_address", &["E-01", "E-08"], creator_address::check),
    rule("version", &["E-09"], version::check),
    rule("image", &["E-10", "E-15"], image::check),
    rule("tags", &["E-11"], tags::check),
    rule("pricing", &["E-17", "I-03"], pricing::check),
    rule(
        "pricing_entry",
        &["E-18", "E-19", "E-20", "E-21", "E-22"],
        pricing_entry::check,
    ),
    rule("access", &["E-25", "I-03"], access::check),
    rule("requirement", &["E-26", "E-27", "I-04"], requirement::check),
    rule("links", &["E-28"], links::check),
    rule(
        "verifiability",
        &["E-30", "E-31", "E-33"],
        verifiability::check,
    ),
    rule("attestation", &["E-34", "E-35"], attestation::check),
    rule(
        "reproducible_build",
        &["E-34", "E-35"],
        reproducible_build::check,
    ),
    rule("tier", &["E-36"], tier::check),
    rule("max_age", &["T-33"], max_age::check),
    rule("extensions", &["E-13", "E-14"], extensions::check),
];

/// Number of rules about the hashed bytes, which are the first of [`RULES`].
const BYTE_RULES: usize = 2;

const fn rule(
    name: &'static str,
    requirements: &'static [&'static str],
    check: fn(&mut RuleContext<'_>),
) -> Rule {
    Rule {
        name,
        requirements,
        check,
    }
}

/// Checks a document against all rules and returns all findings. If a byte rule is violated, at least one violation is about
/// bytes ([`Code::is_about_bytes`]), however many other findings there are.
#[must_use]
pub fn check(document: &Document, policy: Policy) -> Findings {
    let mut context = RuleContext::new(document, policy);
    let (byte_rules, rules) = RULES.split_at(BYTE_RULES);
    for rule in byte_rules {
        (rule.check)(&mut context);
    }
    let kind = document.root().kind();
    if kind == Kind::Object {
        for rule in rules {
            (rule.check)(&mut context);
        }
    } else {
        context.reject(Violation {
            code: Code::NotAnObject,
            pointer: Pointer::root(),
            found: kind.to_string(),
            allowed: "an object".into(),
            fix: "make the manifest a JSON object".into(),
        });
    }
    context.into_findings()
}
