//! State that rules share: the document, the policy and the findings.

use std::borrow::Cow;

use atr_ids::{Error, HttpsUrl, excerpt};

use super::member::{MEMBER_COUNT, Member};
use crate::{Code, Document, Findings, Kind, Pointer, Policy, Role, Value, Violation};

/// Limits the findings, so that an untrusted document cannot produce an unbounded report. Violations and warnings have separate
/// budgets, so that warnings never displace violations.
#[derive(Default)]
struct Budget {
    count: usize,
    bytes: usize,
}

const MAX_FINDINGS: usize = 256;
const MAX_FINDINGS_BYTES: usize = 262_144;

impl Budget {
    const fn is_full(&self) -> bool {
        self.count >= MAX_FINDINGS || self.bytes >= MAX_FINDINGS_BYTES
    }

    /// Counts a finding. Returns whether it is within the budget; the first one always is.
    fn take(&mut self, violation: &Violation) -> bool {
        let is_within = !self.is_full();
        self.count += 1;
        self.bytes += violation.byte_length();
        is_within
    }
}

/// A document that is being checked.
pub(super) struct RuleContext<'a> {
    document: &'a Document,
    policy: Policy,
    findings: Findings,
    violation_budget: Budget,
    warning_budget: Budget,
    /// Defined members, looked up once.
    members: [Option<Value<'a>>; MEMBER_COUNT],
    has_extensions: bool,
}

impl<'a> RuleContext<'a> {
    pub(super) fn new(document: &'a Document, policy: Policy) -> Self {
        let mut context = Self {
            document,
            policy,
            findings: Findings::default(),
            violation_budget: Budget::default(),
            warning_budget: Budget::default(),
            members: [None; MEMBER_COUNT],
            has_extensions: false,
        };
        for (name, value) in document.root().members() {
            match Member::from_name(name) {
                Some(member) => context.members[member as usize] = Some(value),
                None => context.has_extensions = true,
            }
        }
        context
    }

    /// A top-level member.
    pub(super) const fn member(&self, member: Member) -> Option<Value<'a>> {
        self.members[member as usize]
    }

    /// Whether there are extension members.
    pub(super) const fn has_extensions(&self) -> bool {
        self.has_extensions
    }

    /// An optional top-level member; see [`Self::optional`].
    pub(super) fn optional_member(&mut self, member: Member, kind: Kind) -> Option<Value<'a>> {
        let value = self.member(member)?;
        self.expect_kind(value, kind)
    }

    /// A required top-level member; see [`Self::required`].
    pub(super) fn required_member(&mut self, member: Member, kind: Kind) -> Option<Value<'a>> {
        match self.member(member) {
            Some(value) => self.expect_kind(value, kind),
            None => {
                self.reject(missing(Pointer::root(), member.name(), kind));
                None
            }
        }
    }

    pub(super) fn into_findings(self) -> Findings {
        self.findings
    }

    pub(super) const fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) const fn root(&self) -> Value<'a> {
        self.document.root()
    }

    pub(super) const fn policy(&self) -> Policy {
        self.policy
    }

    /// Records a violation. Returns false if the budget is exhausted, so that loops over untrusted lists can end.
    pub(super) fn reject(&mut self, violation: Violation) -> bool {
        let is_recorded = self.violation_budget.take(&violation);
        if is_recorded {
            self.findings.violations.push(violation);
        }
        self.findings.truncated |= !is_recorded;
        is_recorded
    }

    /// Records a warning. Returns false if the budget is exhausted.
    pub(super) fn warn(&mut self, violation: Violation) -> bool {
        let is_recorded = self.warning_budget.take(&violation);
        if is_recorded {
            self.findings.warnings.push(violation);
        }
        self.findings.truncated |= !is_recorded;
        is_recorded
    }

    /// Records a violation for producers and a warning for consumers. Returns false if the budget is exhausted.
    pub(super) fn reject_for_producers(&mut self, violation: Violation) -> bool {
        match self.policy.role() {
            Role::Producer => self.reject(violation),
            Role::Consumer => self.warn(violation),
        }
    }

    /// Whether the budget of violations is exhausted. Only then may a rule stop early.
    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.violation_budget.is_full();
        self.findings.truncated |= is_full;
        is_full
    }

    /// Whether the budget of warnings is exhausted.
    pub(super) fn has_max_warnings(&mut self) -> bool {
        let is_full = self.warning_budget.is_full();
        self.findings.truncated |= is_full;
        is_full
    }

    /// An optional member. Another type, `null` included, is a violation.
    pub(super) fn optional(
        &mut self,
        object: Value<'a>,
        name: &str,
        kind: Kind,
    ) -> Option<Value<'a>> {
        let value = object.get(name)?;
        self.expect_kind(value, kind)
    }

    /// A required member. A missing member or another type is a violation.
    pub(super) fn required(
        &mut self,
        object: Value<'a>,
        name: &'static str,
        kind: Kind,
    ) -> Option<Value<'a>> {
        let Some(value) = object.get(name) else {
            self.reject(missing(object.pointer(), name, kind));
            return None;
        };
        self.expect_kind(value, kind)
    }

    /// Returns the value if it has this type; otherwise records a violation.
    pub(super) fn expect_kind(&mut self, value: Value<'a>, kind: Kind) -> Option<Value<'a>> {
        if value.kind() == kind {
            return Some(value);
        }
        self.reject(Violation {
            code: Code::WrongKind,
            pointer: value.pointer(),
            found: display(value),
            allowed: Cow::Owned(kind.to_string()),
            fix: match value.kind() {
                Kind::Null => "remove the member or set a value; null does not mean absent".into(),
                found => Cow::Owned(format!("use {kind} instead of {found}")),
            },
        });
        None
    }

    /// Parses an https URL; records a violation if it is invalid, and a warning if it is not percent-encoded.
    pub(super) fn https_url(&mut self, value: Value<'a>) -> Option<HttpsUrl> {
        let text = value.as_str()?;
        match text.parse::<HttpsUrl>() {
            Ok(url) => {
                if !url.is_percent_encoded() && !self.has_max_warnings() {
                    self.warn(Violation {
                        code: Code::UrlNotEncoded,
                        pointer: value.pointer(),
                        found: display(value),
                        allowed: "the characters of RFC 3986".into(),
                        fix: "percent-encode the other characters".into(),
                    });
                }
                Some(url)
            }
            Err(error) => {
                self.reject(invalid_url(value.pointer(), text, &error));
                None
            }
        }
    }
}

fn missing(object: Pointer, name: &str, kind: Kind) -> Violation {
    Violation {
        code: Code::MissingMember,
        pointer: object.member(name),
        found: "no member".to_owned(),
        allowed: Cow::Owned(kind.to_string()),
        fix: Cow::Owned(format!("add `{name}`")),
    }
}

/// The violation of an invalid URL.
pub(super) fn invalid_url(pointer: Pointer, text: &str, error: &Error) -> Violation {
    let fix = match error {
        Error::ULabelHost { .. } => match HttpsUrl::from_unicode(text) {
            Ok(url) => Cow::Owned(format!("use \"{}\"", excerpt(&url.to_string()))),
            Err(_) => "use an ASCII host".into(),
        },
        Error::Scheme { .. } | Error::Malformed | Error::Empty => {
            "use a URL that starts with https://".into()
        }
        Error::IllegalCharacter { .. } => "percent-encode the character, or remove it".into(),
        Error::Userinfo { .. } => "remove the user information before the host".into(),
        _ => "correct the host or port".into(),
    };
    Violation {
        code: Code::BadUrl,
        pointer,
        found: format!("\"{}\": {error}", excerpt(text)),
        allowed: "an https URL".into(),
        fix,
    }
}

/// Formats a value for a finding.
pub(super) fn display(value: Value<'_>) -> String {
    match value.kind() {
        Kind::String => format!("\"{}\"", excerpt(value.as_str().unwrap_or_default())),
        Kind::Number => excerpt(value.number_text().unwrap_or_default()),
        Kind::Boolean => value.as_bool().unwrap_or_default().to_string(),
        Kind::Array if value.is_empty() => "[]".to_owned(),
        Kind::Object if value.is_empty() => "{}".to_owned(),
        Kind::Array => format!("an array of {}", value.len()),
        kind @ (Kind::Null | Kind::Object) => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fix_of_a_url_depends_on_the_error() {
        for (text, fix) in [
            (
                "https://bücher.example/",
                "use \"https://xn--bcher-kva.example/\"",
            ),
            ("http://a.example", "use a URL that starts with https://"),
            ("https://", "correct the host or port"),
            ("", "use a URL that starts with https://"),
            (
                "https://a.example/x y",
                "percent-encode the character, or remove it",
            ),
            (
                "https://user@a.example",
                "remove the user information before the host",
            ),
            ("https://a.example:0", "correct the host or port"),
        ] {
            let error = text.parse::<HttpsUrl>().unwrap_err();
            assert_eq!(
                invalid_url(Pointer::root(), text, &error).fix,
                fix,
                "{error}"
            );
        }
    }

    #[test]
    fn values_are_formatted_for_findings() {
        let document = Document::parse(r#"[null,false,1.50,"a",[],[0],{},{"b":0}]"#).unwrap();
        let formatted: Vec<_> = document.root().elements().map(display).collect();
        let expected = [
            "null",
            "false",
            "1.50",
            "\"a\"",
            "[]",
            "an array of 1",
            "{}",
            "an object",
        ];
        assert_eq!(formatted, expected);
    }
}
