use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use atr_manifest::Document;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use serde_json::Value;

use crate::properties::values;

/// Default number of documents; `make deep-manifest` uses 100,000.
const DEFAULT_DOCUMENTS: usize = 3_000;

/// Random documents, the same on every run.
#[expect(
    clippy::disallowed_methods,
    reason = "the Makefile sets the number of documents"
)]
fn documents() -> Vec<Value> {
    let count = std::env::var("ATR_DIFFERENTIAL_DOCUMENTS")
        .map_or(DEFAULT_DOCUMENTS, |text| text.parse().unwrap());
    let mut runner = TestRunner::deterministic();
    let values = values();
    (0..count)
        .map(|_| values.new_tree(&mut runner).unwrap().current())
        .collect()
}

fn ours(text: &str) -> Vec<u8> {
    Document::parse(text).unwrap().canonical().into_bytes()
}

#[test]
fn agrees_with_serde_json_canonicalizer() {
    // F-13
    for value in documents() {
        let theirs = serde_json_canonicalizer::to_vec(&as_doubles(&value)).unwrap();
        assert_eq!(ours(&value.to_string()), theirs, "{value}");
    }
}

/// RFC 8785 has doubles only; the library rejects integers that are not exact in a double.
fn as_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(elements) => elements.iter().map(as_doubles).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), as_doubles(value)))
            .collect(),
        other => other.clone(),
    }
}

#[test]
fn agrees_with_npm_canonicalize() {
    // F-13
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/js");
    assert!(
        folder.join("node_modules/canonicalize").is_dir(),
        "run `make deps` to install canonicalize"
    );
    let texts: Vec<_> = documents().iter().map(Value::to_string).collect();
    let mut node = Command::new("node")
        .arg(folder.join("canonicalize.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = node.stdin.take().unwrap();
    let lines = texts.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let theirs: Vec<_> = output.stdout.split(|byte| *byte == b'\n').collect();
    assert_eq!(theirs.len(), texts.len() + 1);
    for (text, theirs) in texts.iter().zip(theirs) {
        assert_eq!(ours(text), theirs, "{text}");
    }
}
