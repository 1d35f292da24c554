//! The first line is a schema, the rest an instance. Compiling and validating must not panic and must stay within the budget.
#![no_main]

use atr_manifest::Document;
use atr_schema::{Budget, Outcome, Schema};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(schema), Some(instance)) = (parts.next(), parts.next()) else {
        return;
    };
    let (Ok(schema), Ok(instance)) = (Document::parse(schema), Document::parse(instance)) else {
        return;
    };
    let Ok(schema) = Schema::compile(schema.root()) else {
        return;
    };
    let (outcome, left) = schema.validate_within(instance.root(), Budget::default());
    if let Outcome::Invalid(failures) = outcome {
        assert!(!failures.is_empty());
    }
    assert_eq!(schema.validate_within(instance.root(), Budget::default()).1, left);
});
