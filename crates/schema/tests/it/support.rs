use std::path::PathBuf;

use atr_manifest::Document;
use atr_schema::{Error, Outcome, Schema};

pub(crate) fn document(text: impl Into<Vec<u8>>) -> Document {
    Document::parse(text).unwrap()
}

pub(crate) fn compile(schema: impl Into<Vec<u8>>) -> Result<Schema, Error> {
    Schema::compile(document(schema).root())
}

#[track_caller]
pub(crate) fn validate(schema: &str, instance: &str) -> Outcome {
    compile(schema).unwrap().validate(&document(instance))
}

#[track_caller]
pub(crate) fn assert_valid(schema: &str, instance: &str) {
    let outcome = validate(schema, instance);
    assert_eq!(outcome, Outcome::Valid, "{schema:.200} {instance:.200}");
}

/// Asserts that an instance is invalid. Returns the locations of the instance and of the keyword of each failure, with a space
/// between them.
#[track_caller]
pub(crate) fn failures(schema: &str, instance: &str) -> Vec<String> {
    let Outcome::Invalid(failures) = validate(schema, instance) else {
        panic!("{instance:.200} is not invalid by {schema:.200}");
    };
    assert!(!failures.is_empty());
    let locations = failures.iter();
    locations
        .map(|failure| format!("{} {}", failure.instance_location, failure.keyword_location))
        .collect()
}

/// A folder of public data beside the repository, if it is there. The data is not part of the repository.
pub(crate) fn shared_data(folder: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    Some(root.join(folder)).filter(|path| path.is_dir())
}
