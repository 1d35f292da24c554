use std::{fs, path::Path};

use atr_manifest::{Code, Document, Findings, Policy, check};
use serde_json::Value;

pub(crate) fn vectors(file: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/vectors")
        .join(file);
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// A valid manifest with every defined member.
pub(crate) fn full() -> Value {
    vectors("manifest/full.json")
}

/// Runs every row of a group, which must not be empty.
pub(crate) fn each(rows: &Value, mut run: impl FnMut(&Value)) {
    let rows = rows.as_array().unwrap();
    let mut count = 0;
    for row in rows {
        run(row);
        count += 1;
    }
    assert!(count > 0 && count == rows.len());
}

pub(crate) fn findings(manifest: &Value, policy: Policy) -> Findings {
    findings_of_bytes(manifest.to_string().as_bytes(), policy)
}

pub(crate) fn findings_of_bytes(bytes: &[u8], policy: Policy) -> Findings {
    match Document::parse(bytes) {
        Ok(document) => check(&document, policy),
        Err(error) => Findings::from(&error),
    }
}

/// Code and pointer of every violation.
pub(crate) fn violations(findings: &Findings) -> Vec<(Code, &str)> {
    findings
        .violations
        .iter()
        .map(|violation| (violation.code, violation.pointer.as_str()))
        .collect()
}

pub(crate) fn codes(manifest: &Value, policy: Policy) -> Vec<Code> {
    findings(manifest, policy)
        .violations
        .into_iter()
        .map(|violation| violation.code)
        .collect()
}

/// The full manifest with one value replaced or added.
pub(crate) fn with(pointer: &str, value: Value) -> Value {
    let mut manifest = full();
    set(&mut manifest, pointer, value);
    manifest
}

pub(crate) fn set(manifest: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match manifest.pointer_mut(parent).unwrap() {
        Value::Array(list) => {
            let index: usize = name.parse().unwrap();
            if index == list.len() {
                list.push(value);
            } else {
                list[index] = value;
            }
        }
        object => {
            object[name] = value;
        }
    }
}

pub(crate) fn without(pointer: &str) -> Value {
    let mut manifest = full();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = manifest
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap();
    parent.remove(name).unwrap();
    manifest
}
