use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use atr_artifacts::{ArtifactFolder, CompilerSettings, compile, compile_mocks};
use atr_bindings::{COMPOSITE_PREDICATE, ContractCode, TOOL_REGISTRY};
use serde_json::Value;

#[test]
fn the_committed_artifacts_are_what_the_contracts_compile_to() {
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

    let differences = ArtifactFolder::of_repository(&root)
        .compare(&compilation)
        .unwrap();
    assert!(
        differences.is_empty(),
        "run make artifacts: {differences:?}"
    );
}

#[test]
fn the_committed_mocks_are_what_the_tests_mocks_compile_to() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let compilation = compile_mocks(&CompilerSettings::read(&root).unwrap()).unwrap();
    assert!(!compilation.artifacts.is_empty(), "no mock was compiled");
    let differences = ArtifactFolder::of_mocks(&root)
        .compare(&compilation)
        .unwrap();
    assert!(
        differences.is_empty(),
        "run make artifacts: {differences:?}"
    );
}

/// What the pinned compiler makes of a standard JSON input that was committed.
fn compiled(code: &ContractCode) -> Value {
    let solc = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../script/dev/solc");
    let mut process = Command::new(solc)
        .arg("--standard-json")
        // Nothing to import from: the input must stand by itself.
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
fn what_an_explorer_is_given_compiles_to_the_code_we_deploy() {
    // The smallest set of sources and the largest: the compiler takes seconds for each, and all of them differ from the
    // compilation above only in what is left out.
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
