use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use atr_artifacts::{ArtifactFolder, CompilerSettings, compile, compile_mocks};
use atr_bindings::{COMPOSITE_PREDICATE, ContractCode, TOOL_REGISTRY};
use serde_json::Value;

#[test]
fn the_committed_artifacts_match_the_contracts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let compilation = compile(&CompilerSettings::read(&root).unwrap()).unwrap();
    let registry = compilation
        .artifacts
        .iter()
        .find(|artifact| artifact.contract_name == "ToolRegistry");
    assert!(
        registry.is_some_and(|registry| registry.code.is_some()),
        "the registry was not compiled"
    );

    let differences = ArtifactFolder::contracts(&root)
        .compare(&compilation)
        .unwrap();
    assert!(
        differences.is_empty(),
        "run make artifacts: {differences:?}"
    );
}

#[test]
fn the_committed_mocks_match_the_test_mocks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let compilation = compile_mocks(&CompilerSettings::read(&root).unwrap()).unwrap();
    assert!(!compilation.artifacts.is_empty(), "no mock was compiled");
    let differences = ArtifactFolder::mocks(&root).compare(&compilation).unwrap();
    assert!(
        differences.is_empty(),
        "run make artifacts: {differences:?}"
    );
}

/// Compiles the committed standard JSON input with the pinned compiler.
fn compiled(code: &ContractCode) -> Value {
    let solc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../script/dev/solc");
    let mut process = Command::new(solc)
        .arg("--standard-json")
        // Another folder, so that the input must be self-contained.
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = code.build().standard_input().to_string();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    serde_json::from_slice(&process.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_standard_input_for_explorers_compiles_to_the_committed_bytecode() {
    // The smallest and the largest set of sources; each compilation takes seconds.
    for code in [&TOOL_REGISTRY, &COMPOSITE_PREDICATE] {
        let output = compiled(code);
        let evm = &output["contracts"][code.build().source_name()][code.name()]["evm"];
        let object = |part: &str| format!("0x{}", evm[part]["object"].as_str().unwrap_or("-"));
        let what = (code.name(), &output["errors"]);
        assert_eq!(object("bytecode"), code.creation().to_string(), "{what:?}");
        assert_eq!(
            object("deployedBytecode"),
            code.runtime().to_string(),
            "{what:?}"
        );
    }
}
