//! What a rule sees, and how it speaks.

use std::borrow::Cow;

use atr_ids::{Error, HttpsUrl, excerpt};

use super::member::{MEMBER_COUNT, Member};
use crate::{Code, Document, Findings, Kind, Pointer, Policy, Role, Value, Violation};

/// Room for violations, and as much for warnings: more than anybody fixes in one go. A stranger's document could otherwise make
/// its report larger than itself. The two are apart, so that no number of warnings hides the reason for a refusal.
#[derive(Default)]
struct Room {
    count: usize,
    bytes: usize,
}

const MAX_FINDINGS: usize = 256;
const MAX_FINDINGS_BYTES: usize = 262_144;

impl Room {
    const fn is_full(&self) -> bool {
        self.count >= MAX_FINDINGS || self.bytes >= MAX_FINDINGS_BYTES
    }

    /// Whether one more is kept. The first always is.
    fn take(&mut self, violation: &Violation) -> bool {
        let is_room = !self.is_full();
        self.count += 1;
        self.bytes += violation.byte_length();
        is_room
    }
}

/// A document under the rules.
pub(super) struct Scope<'a> {
    document: &'a Document,
    policy: Policy,
    findings: Findings,
    violations_room: Room,
    warnings_room: Room,
    /// The members with a meaning, looked up once.
    members: [Option<Value<'a>>; MEMBER_COUNT],
    has_extensions: bool,
}

impl<'a> Scope<'a> {
    pub(super) fn new(document: &'a Document, policy: Policy) -> Self {
        let mut scope = Self {
            document,
            policy,
            findings: Findings::default(),
            violations_room: Room::default(),
            warnings_room: Room::default(),
            members: [None; MEMBER_COUNT],
            has_extensions: false,
        };
        for (name, value) in document.root().members() {
            match Member::named(name) {
                Some(member) => scope.members[member as usize] = Some(value),
                None => scope.has_extensions = true,
            }
        }
        scope
    }

    /// A member of the manifest itself.
    pub(super) const fn member(&self, member: Member) -> Option<Value<'a>> {
        self.members[member as usize]
    }

    /// Whether there are members without a meaning.
    pub(super) const fn has_extensions(&self) -> bool {
        self.has_extensions
    }

    /// A member of the manifest itself that may be absent; see [`Self::optional`].
    pub(super) fn optional_member(&mut self, member: Member, kind: Kind) -> Option<Value<'a>> {
        let value = self.member(member)?;
        self.of_kind(value, kind)
    }

    /// A member of the manifest itself that must be there; see [`Self::required`].
    pub(super) fn required_member(&mut self, member: Member, kind: Kind) -> Option<Value<'a>> {
        match self.member(member) {
            Some(value) => self.of_kind(value, kind),
            None => {
                self.refuse(missing(Pointer::root(), member.name(), kind));
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

    /// Refuses the manifest. False when there was no room for it, so that loops over a stranger's list end.
    pub(super) fn refuse(&mut self, violation: Violation) -> bool {
        let is_kept = self.violations_room.take(&violation);
        if is_kept {
            self.findings.violations.push(violation);
        }
        self.findings.truncated |= !is_kept;
        is_kept
    }

    /// Advises against something that is allowed. False when there was no room for it.
    pub(super) fn warn(&mut self, violation: Violation) -> bool {
        let is_kept = self.warnings_room.take(&violation);
        if is_kept {
            self.findings.warnings.push(violation);
        }
        self.findings.truncated |= !is_kept;
        is_kept
    }

    /// Refuses to publish what consumers merely frown at. False when there was no room for it.
    pub(super) fn refuse_to_publish(&mut self, violation: Violation) -> bool {
        match self.policy.role() {
            Role::Producer => self.refuse(violation),
            Role::Consumer => self.warn(violation),
        }
    }

    /// Whether so much refuses the manifest that no more is kept. Only then may a rule that refuses stop looking.
    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.violations_room.is_full();
        self.findings.truncated |= is_full;
        is_full
    }

    /// Whether no more advice is kept.
    pub(super) fn is_full_of_warnings(&mut self) -> bool {
        let is_full = self.warnings_room.is_full();
        self.findings.truncated |= is_full;
        is_full
    }

    /// A member that may be absent, if it is of its kind. Of another kind, `null` included, it refuses the manifest.
    pub(super) fn optional(
        &mut self,
        object: Value<'a>,
        name: &str,
        kind: Kind,
    ) -> Option<Value<'a>> {
        let value = object.get(name)?;
        self.of_kind(value, kind)
    }

    /// A member that must be there, if it is there and of its kind.
    pub(super) fn required(
        &mut self,
        object: Value<'a>,
        name: &'static str,
        kind: Kind,
    ) -> Option<Value<'a>> {
        let Some(value) = object.get(name) else {
            self.refuse(missing(object.pointer(), name, kind));
            return None;
        };
        self.of_kind(value, kind)
    }

    /// The value, if it is of a kind.
    pub(super) fn of_kind(&mut self, value: Value<'a>, kind: Kind) -> Option<Value<'a>> {
        if value.kind() == kind {
            return Some(value);
        }
        self.refuse(Violation {
            code: Code::WrongKind,
            pointer: value.pointer(),
            found: shown(value),
            allowed: Cow::Owned(kind.to_string()),
            fix: match value.kind() {
                Kind::Null => "remove the member, or give it a value: null is not absent".into(),
                found => Cow::Owned(format!("write {kind} instead of {found}")),
            },
        });
        None
    }

    /// An https URL by the ERC's rules; anything else refuses the manifest.
    pub(super) fn https_url(&mut self, value: Value<'a>) -> Option<HttpsUrl> {
        let text = value.as_str()?;
        match text.parse::<HttpsUrl>() {
            Ok(url) => Some(url),
            Err(error) => {
                self.refuse(bad_url(value.pointer(), text, &error));
                None
            }
        }
    }
}

fn missing(object: Pointer, name: &str, kind: Kind) -> Violation {
    Violation {
        code: Code::MissingMember,
        pointer: object.member(name),
        found: "nothing".to_owned(),
        allowed: Cow::Owned(kind.to_string()),
        fix: Cow::Owned(format!("add `{name}`")),
    }
}

/// A URL that is none, with a fix that fits the fault.
pub(super) fn bad_url(pointer: Pointer, text: &str, error: &Error) -> Violation {
    let fix = match error {
        Error::ULabelHost { .. } => match HttpsUrl::from_unicode(text) {
            Ok(url) => Cow::Owned(format!("write \"{}\"", excerpt(&url.to_string()))),
            Err(_) => "write the host in ASCII".into(),
        },
        Error::Scheme { .. } | Error::Malformed | Error::Empty => {
            "give a URL that begins with https://".into()
        }
        Error::IllegalCharacter { .. } => "percent-encode the character, or remove it".into(),
        Error::Userinfo { .. } => "remove everything before the host, the @ included".into(),
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

/// A value as a report quotes it.
pub(super) fn shown(value: Value<'_>) -> String {
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
    fn the_fix_of_a_url_fits_its_fault() {
        for (text, fix) in [
            (
                "https://bücher.example/",
                "write \"https://xn--bcher-kva.example/\"",
            ),
            ("http://a.example", "give a URL that begins with https://"),
            ("https://", "correct the host or port"),
            ("", "give a URL that begins with https://"),
            (
                "https://a.example/x y",
                "percent-encode the character, or remove it",
            ),
            (
                "https://user@a.example",
                "remove everything before the host, the @ included",
            ),
            ("https://a.example:0", "correct the host or port"),
        ] {
            let error = text.parse::<HttpsUrl>().unwrap_err();
            assert_eq!(bad_url(Pointer::root(), text, &error).fix, fix, "{error}");
        }
    }

    #[test]
    fn a_report_quotes_what_it_found() {
        let document = Document::parse(r#"[null,false,1.50,"a",[],[0],{},{"b":0}]"#).unwrap();
        let quoted: Vec<_> = document.root().elements().map(shown).collect();
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
        assert_eq!(quoted, expected);
    }
}
