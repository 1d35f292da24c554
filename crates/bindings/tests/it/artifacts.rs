use std::{fs, path::Path};

use atr_bindings::{CONTRACTS, ContractCode, DEPLOYLESS_CALL, INTERFACES, LENS};
use serde_json::Value;

fn committed() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap() != "build.json")
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| serde_json::from_slice(&fs::read(file).unwrap()).unwrap())
        .collect()
}

/// The periphery that Rust uses.
static PERIPHERY: [&ContractCode; 2] = [&LENS, &DEPLOYLESS_CALL];

fn is_unused(artifact: &Value) -> bool {
    let source = artifact["sourceName"].as_str().unwrap();
    let name = artifact["contractName"].as_str().unwrap();
    source.starts_with("contracts/src/periphery/")
        && PERIPHERY.iter().all(|code| code.name() != name)
}

#[test]
fn every_contract_has_the_bytecode_of_its_artifact() {
    let committed: Vec<_> = committed()
        .into_iter()
        .filter(|artifact| artifact.get("bytecode").is_some() && !is_unused(artifact))
        .map(|artifact| {
            let text = |key: &str| artifact[key].as_str().unwrap().to_owned();
            (
                text("contractName"),
                text("bytecode"),
                text("deployedBytecode"),
            )
        })
        .collect();
    let mut bound: Vec<_> = CONTRACTS
        .iter()
        .copied()
        .chain(PERIPHERY)
        .map(|code| {
            (
                code.name().to_owned(),
                code.creation().to_string(),
                code.runtime().to_string(),
            )
        })
        .collect();
    bound.sort();
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

#[test]
fn the_build_record_matches_the_artifacts_and_contains_every_source() {
    for artifact in committed() {
        let name = artifact["contractName"].as_str().unwrap();
        let Some(code) = CONTRACTS.iter().find(|code| code.name() == name) else {
            continue;
        };
        let build = code.build();
        assert_eq!(artifact["sourceName"], build.source_name(), "{name}");
        let immutables = artifact["immutableReferences"].as_object();
        assert_eq!(
            immutables.map_or(0, serde_json::Map::len),
            build.immutables().len(),
            "{name}"
        );
        for (immutable, ranges) in build.immutables() {
            for (range, committed) in ranges
                .iter()
                .zip(immutables.unwrap()[immutable].as_array().unwrap())
            {
                assert_eq!(committed["start"], range.start);
                assert_eq!(committed["length"], range.length);
                let placeholder = &code.runtime()[range.start..range.start + range.length];
                assert!(placeholder.iter().all(|byte| *byte == 0), "{name}");
            }
        }
        let input = build.standard_input();
        assert!(input["sources"][build.source_name()]["content"].is_string());
    }
}
