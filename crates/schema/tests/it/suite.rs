use std::{collections::BTreeMap, fs, path::Path};

use atr_manifest::{Document, Kind, Value};
use atr_schema::{Budget, Error, Outcome, Schema};

use crate::support::shared_data;

/// Results of the test cases of some files.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    wrong: Vec<String>,
    /// Test cases whose schema is rejected, by the kind of the error.
    rejected: BTreeMap<&'static str, usize>,
    rejections: Vec<String>,
}

impl Score {
    fn rejected(&self) -> usize {
        self.rejected.values().sum()
    }

    #[expect(
        clippy::disallowed_macros,
        clippy::print_stdout,
        reason = "the figures of `make schema-suite`"
    )]
    fn print(&self, name: &str) {
        let wrong = self.wrong.len();
        println!(
            "{name}: {} right, {wrong} wrong, {} rejected {:?}",
            self.right,
            self.rejected(),
            self.rejected
        );
        for line in self.wrong.iter().chain(&self.rejections) {
            println!("  {line}");
        }
    }

    fn add_file(&mut self, path: &Path, dialect: &str) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = Document::parse(fs::read(path).unwrap()).unwrap();
        for case in file.root().elements() {
            self.add_case(&name, case, dialect);
        }
    }

    fn add_case(&mut self, file: &str, case: Value<'_>, dialect: &str) {
        let description = case.get("description").and_then(Value::as_str).unwrap();
        let tests: Vec<_> = case.get("tests").unwrap().elements().collect();
        let schema = match compile(case.get("schema").unwrap(), dialect) {
            Ok(schema) => schema,
            Err(error) => {
                let kind = match &error {
                    Error::RemoteReference { .. } => "remote reference",
                    Error::Pattern { .. } => "pattern",
                    Error::Unsupported { .. } => "unsupported",
                    Error::UnresolvedReference { .. } => "unresolved reference",
                    _ => "invalid",
                };
                *self.rejected.entry(kind).or_default() += tests.len();
                self.rejections
                    .push(format!("{file}: {description}: {error}"));
                return;
            }
        };
        for test in tests {
            let is_valid = test.get("valid").and_then(Value::as_bool).unwrap();
            let (outcome, _) = schema.validate_within(test.get("data").unwrap(), Budget::default());
            let is_right = match &outcome {
                Outcome::Valid => is_valid,
                Outcome::Invalid(_) => !is_valid,
                Outcome::Unknown(_) => false,
            };
            if is_right {
                self.right += 1;
            } else {
                let test = test.get("description").and_then(Value::as_str).unwrap();
                self.wrong
                    .push(format!("{file}: {description}: {test}: {outcome:?}"));
            }
        }
    }
}

/// The suite of a draft assumes its dialect where a schema does not name one.
fn compile(schema: Value<'_>, dialect: &str) -> Result<Schema, Error> {
    if dialect.is_empty() || schema.kind() != Kind::Object || schema.get("$schema").is_some() {
        return Schema::compile(schema);
    }
    let text = schema_text(schema);
    let rest = text.strip_prefix('{').unwrap();
    let comma = if schema.is_empty() { "" } else { "," };
    let text = format!(r#"{{"$schema":"{dialect}"{comma}{rest}"#);
    Schema::compile(Document::parse(text).unwrap().root())
}

/// The value as text. Numbers are copied as written.
fn schema_text(value: Value<'_>) -> String {
    let string = |text: &str| serde_json::to_string(text).unwrap();
    match value.kind() {
        Kind::Null => "null".into(),
        Kind::Boolean => value.as_bool().unwrap().to_string(),
        Kind::Number => value.number_text().unwrap().into(),
        Kind::String => string(value.as_str().unwrap()),
        Kind::Array => {
            let elements: Vec<_> = value.elements().map(schema_text).collect();
            format!("[{}]", elements.join(","))
        }
        Kind::Object => {
            let members = value.members();
            let members: Vec<_> = members
                .map(|(name, value)| string(name) + ":" + &schema_text(value))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn run(folder: &str, dialect: &str, skipped: &[&str]) -> Option<Score> {
    let Some(path) = shared_data(&format!("suites/json-schema/{folder}")) else {
        skip();
        return None;
    };
    let mut score = Score::default();
    let mut files: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".json") && !skipped.contains(&name.as_str()) {
            score.add_file(&path, dialect);
        }
    }
    score.print(folder);
    Some(score)
}

#[expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a test that did not run says so"
)]
fn skip() {
    println!("not run: ../shared/data/suites/json-schema is not there");
}

#[test]
fn agrees_with_the_official_suite_of_draft_2020_12() {
    let Some(score) = run("draft2020-12", "", &[]) else {
        return;
    };
    assert_eq!(score.wrong, [""; 0]);
    assert!(score.rejected() <= 60, "{score:?}");
    assert!(score.right >= 1_239, "{score:?}");
}

#[test]
fn agrees_with_the_official_suite_of_draft_07() {
    let Some(score) = run("draft7", "http://json-schema.org/draft-07/schema#", &[]) else {
        return;
    };
    assert_eq!(score.wrong, [""; 0]);
    assert!(score.rejected() <= 60, "{score:?}");
}

#[test]
fn agrees_with_the_optional_suites_but_for_format_and_content() {
    // `format` and `content…` are annotations.
    for (folder, dialect, skipped) in [
        ("draft2020-12/optional", "", &["format-assertion.json"][..]),
        (
            "draft7/optional",
            "http://json-schema.org/draft-07/schema#",
            &["content.json"],
        ),
    ] {
        let Some(score) = run(folder, dialect, skipped) else {
            return;
        };
        assert_eq!(score.wrong, [""; 0]);
    }
}
