use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use atr_artifacts::{
    ArtifactFolder, Compilation, CompilerSettings, Difference, Error, compile, compile_mocks,
};
use atr_bindings::{COMPOSITE_PREDICATE, ContractCode, TOOL_REGISTRY};
use serde_json::Value;

/// Compiles with the settings of this repository. Lists the committed files that differ.
fn differences(
    compile: fn(&CompilerSettings) -> Result<Compilation, Error>,
    folder: fn(&Path) -> ArtifactFolder,
) -> Vec<Difference> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap();
    let compilation = compile(&CompilerSettings::read(&root).unwrap()).unwrap();
    assert!(!compilation.artifacts.is_empty(), "nothing was compiled");
    folder(&root).compare(&compilation).unwrap()
}

#[test]
fn the_committed_artifacts_match_the_contracts() {
    let differences = differences(compile, ArtifactFolder::contracts);
    assert_eq!(differences, [], "run make artifacts");
}

#[test]
fn the_committed_mocks_match_the_test_mocks() {
    let differences = differences(compile_mocks, ArtifactFolder::mocks);
    assert_eq!(differences, [], "run make artifacts");
}

#[test]
fn the_contracts_of_a_local_chain_are_the_committed_mocks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join("cli/artifacts");
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name();
        let mock = root.join("harness/artifacts").join(&name);
        assert_eq!(
            fs::read(folder.join(&name)).unwrap(),
            fs::read(mock).unwrap(),
            "{name:?}: run make artifacts"
        );
    }
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
