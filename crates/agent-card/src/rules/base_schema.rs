//! Failures of the base schema as findings.

use std::borrow::Cow;

use atr_manifest::{Document, Kind, Pointer, Value};
use atr_schema::{Failure, Outcome};

use super::Context;
use crate::{Code, Finding, Profile, finding::resolve, report::Findings};

/// P-01. False if the outcome is unknown.
pub(super) fn check(document: &Document, context: Context<'_>, findings: &mut Findings) -> bool {
    let base = context.profile.base_schema();
    match base.schema.validate(document) {
        Outcome::Valid => true,
        Outcome::Invalid(failures) => {
            for failure in &failures {
                report(document, context, failure, findings);
            }
            true
        }
        Outcome::Unknown(exhausted) => {
            findings.warning(Finding::new(
                Code::TooCostly,
                Pointer::root(),
                exhausted.to_string(),
                "a card that can be validated within the limits",
                "remove what is not needed from the card",
            ));
            false
        }
    }
}

fn report(document: &Document, context: Context<'_>, failure: &Failure, findings: &mut Findings) {
    let pointer = failure.instance_location.as_str();
    let Some(value) = resolve(document, pointer) else {
        return;
    };
    let keyword = failure.keyword_location.as_str();
    let keyword = keyword.rsplit('/').next().unwrap_or_default();
    match keyword {
        "required" => missing(context, failure, value, findings),
        "additionalProperties" => {
            findings.violation(Finding::at(
                Code::UnknownMember,
                value,
                format!(
                    "a member that the profile {} defines",
                    context.profile.as_str()
                ),
                "remove it, or move it to \"meta\"",
            ));
        }
        // One finding is enough for a value.
        _ if findings.has(pointer) => {}
        _ => {
            let rule = rule_of(pointer, context);
            let code = match keyword {
                "type" => Code::WrongType,
                "uniqueItems" => Code::Duplicate,
                "maxItems" => Code::VerbCount,
                _ if is_blank(value) => Code::Empty,
                _ => rule.code,
            };
            findings.violation(Finding::at(code, value, rule.expected, rule.fix));
        }
    }
}

/// One finding for each missing member: the schema evaluator reports one failure for each of them.
fn missing(context: Context<'_>, failure: &Failure, object: Value<'_>, findings: &mut Findings) {
    let schema = &context.profile.base_schema().document;
    let required = resolve(schema, failure.keyword_location.as_str());
    for name in required.into_iter().flat_map(Value::elements) {
        let name = name.as_str().unwrap_or_default();
        let pointer = failure.instance_location.clone().member(name);
        let is_known = |finding: &Finding| finding.pointer == pointer;
        if object.get(name).is_some() || findings.violations.iter().any(is_known) {
            continue;
        }
        let rule = rule_of(pointer.as_str(), context);
        findings.violation(Finding::new(
            Code::MissingMember,
            pointer,
            "nothing",
            rule.expected,
            rule.fix,
        ));
    }
}

fn is_blank(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.as_str().is_some_and(|text| text.trim().is_empty()),
        Kind::Array => value.is_empty(),
        _ => false,
    }
}

/// What a member must be.
pub(super) struct MemberRule {
    pub(super) code: Code,
    pub(super) expected: Cow<'static, str>,
    pub(super) fix: Cow<'static, str>,
}

pub(super) fn rule_of(pointer: &str, context: Context<'_>) -> MemberRule {
    let is_11 = context.profile == Profile::Published11;
    let rule = |code, expected: &'static str, fix: &'static str| MemberRule {
        code,
        expected: expected.into(),
        fix: fix.into(),
    };
    let mut tokens = pointer.split('/').skip(1);
    match tokens.next().unwrap_or_default() {
        "id" | "owner" | "ens" if is_11 => rule(
            Code::EnsName,
            "a name such as agent.eth",
            "use a second-level .eth name in lower case",
        ),
        "ens" => rule(
            Code::EnsName,
            "a normalized ENS name such as summarizeagent.eth",
            "write the ENS name in lower case, without spaces and slashes",
        ),
        "id" => rule(
            Code::Empty,
            "an identifier, typically the ENS name",
            "use the ENS name",
        ),
        "owner" => rule(
            Code::Empty,
            "the ENS name or identifier that controls the card",
            "name the owner",
        ),
        "slug" => rule(
            Code::Slug,
            "lower-case letters and digits, and . _ ~ - between them",
            "use the first label of the ENS name",
        ),
        "display_name" => rule(Code::Empty, "a name for people", "name the agent"),
        "description" => rule(
            Code::Empty,
            "a short description of what the agent does",
            "describe the agent in a sentence",
        ),
        "version" if is_11 => rule(Code::Version, "1.1.0", "set the version of the card line"),
        "version" => rule(
            Code::Version,
            "a semantic version such as 1.0.0",
            "use major.minor.patch without a leading v",
        ),
        "status" if is_11 => rule(
            Code::Status,
            "protocol_reference, active, deprecated or revoked",
            "use one of these",
        ),
        "status" => rule(
            Code::Status,
            "a lifecycle status such as active, deprecated or protocol_reference",
            "state the status",
        ),
        "class" => rule(
            Code::Class,
            "commons or commercial",
            "use the class of the verbs",
        ),
        "implements" if is_11 => rule(
            Code::UnknownVerb,
            "exactly one canonical verb",
            "publish one card for each verb",
        ),
        "implements" => rule(
            Code::UnknownVerb,
            "a list of different canonical verbs, the primary verb first",
            "name the verbs, each once",
        ),
        "schemas" => rule(
            Code::SchemaUri,
            "request and receipt: canonical URIs of the primary verb's schemas",
            "copy the URIs from the manifest of the schema release",
        ),
        "schemas_mirror" => rule(
            Code::SchemaMirror,
            "https URLs that mirror the request and receipt schema",
            "use https URLs of the same schemas, or remove the mirror",
        ),
        "entry" => super::entry::member_rule(context),
        "capabilities" | "meta" => {
            rule(Code::WrongType, "an object", "use an object, or remove it")
        }
        "networks" => rule(
            Code::Network,
            "a list of different CAIP-2 chain ids such as eip155:1",
            "use <namespace>:<reference>; for EVM chains eip155:<chain id>",
        ),
        "license" => rule(
            Code::License,
            "an SPDX license expression such as Apache-2.0, or the https URL of the license",
            "name the license of the card document",
        ),
        "created_at" | "updated_at" => rule(
            Code::Timestamp,
            "an ISO 8601 timestamp with a time zone, such as 2025-11-22T00:00:00Z",
            "write date, T, time with seconds, and Z or an offset",
        ),
        "$schema" | "$id" => rule(
            Code::Uri,
            "an absolute URI",
            "correct the URI, or remove it",
        ),
        _ => MemberRule {
            code: Code::WrongType,
            expected: describe_expected(context.profile),
            fix: "correct the value".into(),
        },
    }
}

fn describe_expected(profile: Profile) -> Cow<'static, str> {
    format!("a value that the profile {profile} accepts").into()
}
