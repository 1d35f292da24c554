//! Findings of the rules.

use std::{borrow::Cow, fmt};

use atr_ids::excerpt;
use atr_manifest::{Document, Kind, Pointer, Value};
use serde::Serialize;

use crate::Code;

/// A difference between a card and a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable machine-readable code.
    pub code: Code,
    /// Location in the card.
    pub pointer: Pointer,
    /// The value found, as an excerpt. Secrets are shortened.
    pub found: String,
    /// The values that the rule accepts.
    pub expected: Cow<'static, str>,
    /// How to fix it, in one line.
    pub fix: Cow<'static, str>,
}

impl Finding {
    pub(crate) fn new(
        code: Code,
        pointer: Pointer,
        found: impl Into<String>,
        expected: impl Into<Cow<'static, str>>,
        fix: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            pointer,
            found: found.into(),
            expected: expected.into(),
            fix: fix.into(),
        }
    }

    /// A finding about a value of the document.
    pub(crate) fn at(
        code: Code,
        value: Value<'_>,
        expected: impl Into<Cow<'static, str>>,
        fix: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(code, value.pointer(), describe(value), expected, fix)
    }
}

impl From<&atr_manifest::Error> for Finding {
    fn from(error: &atr_manifest::Error) -> Self {
        let violation = atr_manifest::Violation::from(error);
        Self::new(
            Code::Document,
            violation.pointer,
            format!("{} ({})", violation.found, violation.code),
            violation.allowed,
            violation.fix,
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = match self.pointer.as_str() {
            "" => "the card".to_owned(),
            pointer => atr_ids::sanitize(pointer),
        };
        write!(
            f,
            "{location}: found {}, expected {} ({})",
            self.found, self.expected, self.code
        )
    }
}

/// A short description of a value: strings, numbers and literals as an excerpt, others by their type and size.
pub(crate) fn describe(value: Value<'_>) -> String {
    match value.kind() {
        Kind::String => format!("\"{}\"", excerpt(value.as_str().unwrap_or_default())),
        Kind::Number => excerpt(value.number_text().unwrap_or_default()),
        Kind::Boolean => value.as_bool().unwrap_or_default().to_string(),
        Kind::Array => format!("an array of {}", value.len()),
        Kind::Object => format!("an object with {} members", value.len()),
        Kind::Null => "null".to_owned(),
    }
}

/// The value at a pointer.
pub(crate) fn resolve<'a>(document: &'a Document, pointer: &str) -> Option<Value<'a>> {
    let mut value = document.root();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        value = match value.kind() {
            Kind::Array => value.elements().nth(token.parse().ok()?)?,
            _ => value.get(&token)?,
        };
    }
    Some(value)
}
