use std::{fs, path::Path};

use atr_bindings::CONTRACTS;
use serde_json::Value;

use crate::interface::INTERFACES;

fn committed() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap())
        .collect()
}

#[test]
fn every_deployable_contract_is_bound_with_the_code_of_its_file() {
    let committed: Vec<_> = committed()
        .into_iter()
        .filter(|artifact| artifact.get("bytecode").is_some())
        .map(|artifact| {
            let text = |key: &str| artifact[key].as_str().unwrap().to_owned();
            (
                text("contractName"),
                text("bytecode"),
                text("deployedBytecode"),
            )
        })
        .collect();
    let bound: Vec<_> = CONTRACTS
        .iter()
        .map(|code| {
            (
                code.name().to_owned(),
                code.creation().to_string(),
                code.runtime().to_string(),
            )
        })
        .collect();
    assert_eq!(bound, committed);
}

#[test]
fn every_committed_interface_is_bound() {
    let committed: Vec<_> = committed()
        .into_iter()
        .filter(|artifact| artifact.get("bytecode").is_none())
        .map(|artifact| artifact["contractName"].as_str().unwrap().to_owned())
        .collect();
    let mut bound: Vec<_> = INTERFACES.iter().map(|interface| interface.name).collect();
    bound.sort_unstable();
    assert_eq!(bound, committed);
}
