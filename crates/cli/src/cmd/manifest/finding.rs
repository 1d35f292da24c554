//! Findings with their position in the manifest, and those that need more than the manifest rules.

use std::{borrow::Cow, fmt::Write};

use atr_ids::{HttpsUrl, MetadataUri, excerpt};
use atr_manifest::{Code, Document, Kind, Pointer, TextPosition, Violation};
use atr_schema::{Error, Schema};
use atr_verify::check_origin;
use serde::Serialize;

use crate::output::{Palette, escape_line};

/// A violation or warning.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    code: Cow<'static, str>,
    pointer: Pointer,
    /// Both start at 1. `None` without a position in the text.
    line: Option<usize>,
    column: Option<usize>,
    found: String,
    allowed: Cow<'static, str>,
    fix: Cow<'static, str>,
}

impl Finding {
    pub(super) fn from_violation(violation: Violation, document: &Document) -> Self {
        let position = document.position(&violation.pointer);
        Self::new(violation, Some(position))
    }

    pub(super) fn new(violation: Violation, position: Option<TextPosition>) -> Self {
        Self {
            code: violation.code.as_str().into(),
            pointer: violation.pointer,
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            found: violation.found,
            allowed: violation.allowed,
            fix: violation.fix,
        }
    }

    fn render(&self, palette: &Palette) -> String {
        let location = match self.pointer.as_str() {
            "" => "document".to_owned(),
            pointer => excerpt(pointer),
        };
        let position = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("  line {line} column {column}"),
            _ => String::new(),
        };
        let mut text = format!(
            "\n  {}  {}{position}\n    found    {}\n    allowed  {}\n    fix      {}\n",
            palette.heading(&location),
            self.code,
            escape_line(&self.found),
            escape_line(&self.allowed),
            escape_line(&self.fix),
        );
        let not_nfc = [Code::NotNfc, Code::NameNotNfc].map(Code::as_str);
        if not_nfc.contains(&&*self.code) {
            text.push_str("    run      atr manifest canonicalize --nfc\n");
        }
        text
    }
}

pub(super) fn render(findings: &[Finding], palette: &Palette) -> String {
    findings
        .iter()
        .map(|finding| finding.render(palette))
        .collect()
}

/// Findings without positions, as part of another report.
pub(crate) fn render_findings(violations: &[Violation], palette: &Palette) -> String {
    let mut text = String::new();
    for violation in violations {
        let finding = Finding::new(violation.clone(), None);
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", finding.render(palette));
    }
    text
}

/// A schema that cannot be compiled.
pub(super) struct SchemaProblem {
    pub(super) finding: Finding,
    /// Whether it is no JSON Schema at all, in contrast to one that `atr` does not support.
    pub(super) is_invalid: bool,
}

/// Compiles `inputs` and `outputs`. Problems that the manifest rules report are left out.
pub(super) fn schema_problems(document: &Document) -> Vec<SchemaProblem> {
    let members = ["inputs", "outputs"].into_iter();
    let schemas = members.filter_map(|name| Some((name, document.root().get(name)?)));
    let objects = schemas.filter(|(_, schema)| schema.kind() == Kind::Object);
    let problems = objects.filter_map(|(name, schema)| {
        let error = Schema::compile(schema).err()?;
        let is_invalid = matches!(
            error,
            Error::Invalid { .. } | Error::UnresolvedReference { .. }
        );
        let (location, found, allowed, fix) = describe(error)?;
        let pointer = Pointer::root().member(name).join(&location);
        let position = document.position(&pointer);
        let code = if is_invalid {
            "bad-schema"
        } else {
            "unsupported-schema"
        };
        Some(SchemaProblem {
            finding: Finding {
                code: code.into(),
                pointer,
                line: Some(position.line),
                column: Some(position.column),
                found,
                allowed,
                fix: fix.into(),
            },
            is_invalid,
        })
    });
    problems.collect()
}

/// Location in the schema, value found, values allowed, fix.
fn describe(error: Error) -> Option<(Pointer, String, Cow<'static, str>, &'static str)> {
    Some(match error {
        // Reported by the manifest rules.
        Error::TooLarge { .. } | Error::RemoteReference { .. } => return None,
        Error::Invalid { location, reason } => match reason.strip_prefix("expected ") {
            Some(expected) => (
                location,
                "another value".to_owned(),
                expected.to_owned().into(),
                "correct the schema",
            ),
            None => (
                location,
                reason,
                "a JSON Schema".into(),
                "correct the schema",
            ),
        },
        Error::UnresolvedReference { location, target } => (
            location,
            format!("a reference to \"{target}\", which does not exist"),
            "references to parts of the schema".into(),
            "correct the reference, or add its target",
        ),
        Error::Unsupported { location, feature } => (
            location,
            feature,
            "draft 2020-12 or draft-07".into(),
            "use a keyword of draft 2020-12; consumers may not support this one",
        ),
        Error::Pattern {
            location,
            pattern,
            reason,
        } => (
            location,
            format!("\"{pattern}\": {reason}"),
            "regular expressions that are matched in linear time".into(),
            "use a pattern without lookaround and backreferences",
        ),
        error => (
            Pointer::root(),
            error.to_string(),
            "a schema that can be compiled at low cost".into(),
            "simplify its patterns and references",
        ),
    })
}

/// How a manifest URL relates to the endpoint.
pub(super) enum Origin {
    Same,
    /// Consumers reject the manifest.
    Other(Finding),
    /// Consumers do not look for a manifest at this URL.
    NotWellKnown(Finding),
}

impl Origin {
    /// Compares the origin of the URL with that of the endpoint. An invalid endpoint is left to the manifest rules.
    pub(super) fn check(url: &HttpsUrl, document: &Document) -> Self {
        let uri = match url.to_string().parse::<MetadataUri>() {
            Ok(uri) => uri,
            Err(error) => {
                return Self::NotWellKnown(Finding {
                    code: "metadata-uri".into(),
                    pointer: Pointer::root(),
                    line: None,
                    column: None,
                    found: format!("manifest URL {}: {error}", excerpt(&url.to_string())),
                    allowed: "https://<host>/.well-known/ai-tool/<slug>.json".into(),
                    fix: "serve the manifest at the well-known URL on the endpoint's origin".into(),
                });
            }
        };
        let result = check_origin(&uri, document);
        let Some(failure) = result
            .failure()
            .filter(|failure| failure.code == "origin-mismatch")
        else {
            return Self::Same;
        };
        let pointer = Pointer::root().member("endpoint");
        let position = document.position(&pointer);
        Self::Other(Finding {
            code: failure.code.into(),
            pointer,
            line: Some(position.line),
            column: Some(position.column),
            found: failure.observed.clone(),
            allowed: failure.expected.clone().into(),
            fix: failure.fix.clone().into(),
        })
    }
}
