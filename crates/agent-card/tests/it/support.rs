//! The specification's example, changes of it, and data beside the repository.

use std::{fs, path::PathBuf};

use atr_agent_card::{Config, Finding, Profile, Report, validate};
use atr_manifest::Document;
use serde_json::Value;

/// The CID of the schemas of Protocol-Commons 1.0.0.
pub(crate) const SCHEMAS_CID: &str = "bafybeigvf6nkzws7dblos74dqqjkguwkrwn4a2c27ieygoxmgofyzdkz6m";

/// The example of section 14, with the CID filled in.
pub(crate) fn example() -> Value {
    serde_json::from_str(include_str!("../../../../tests/vectors/agent_card.json")).unwrap()
}

/// The example with one value replaced, or removed if it is null.
pub(crate) fn changed(pointer: &str, value: Value) -> Value {
    let mut card = example();
    set(&mut card, pointer, value);
    card
}

pub(crate) fn set(card: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = card.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(list) => {
            let index: usize = name.parse().unwrap();
            if index < list.len() {
                list[index] = value;
            } else {
                list.push(value);
            }
        }
        _ if value.is_null() => {
            parent.as_object_mut().unwrap().remove(name);
        }
        _ => parent[name] = value,
    }
}

pub(crate) fn document(value: &Value) -> Document {
    Document::parse(value.to_string()).unwrap()
}

pub(crate) fn report(card: &Value) -> Report {
    validate(&document(card), &Config::default())
}

/// Code and pointer of every violation of a profile.
pub(crate) fn violations(card: &Value, profile: Profile) -> Vec<(String, String)> {
    short(&report(card).profile(profile).violations)
}

/// Code and pointer of every warning of the text's profile.
pub(crate) fn warnings(card: &Value) -> Vec<(String, String)> {
    short(&report(card).profile(Profile::Spec).warnings)
}

pub(crate) fn short(findings: &[Finding]) -> Vec<(String, String)> {
    let findings = findings.iter();
    findings
        .map(|finding| (finding.code.to_string(), finding.pointer.to_string()))
        .collect()
}

pub(crate) fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../tests/vectors/agent_cards.json")).unwrap()
}

/// A folder of public data beside the repository. Says so when it is not there.
pub(crate) fn data(folder: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = root.join(folder);
    if !path.exists() {
        println!("not run: ../shared/data/{folder} is not there");
        return None;
    }
    Some(path)
}

/// The JSON files of a folder and below, sorted.
pub(crate) fn json_files(folder: &PathBuf) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(json_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}
