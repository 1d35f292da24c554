use std::path::Path;

use atr_artifacts::{ArtifactFolder, CompilerSettings, compile};

#[test]
fn the_committed_artifacts_are_what_the_contracts_compile_to() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let artifacts = compile(&CompilerSettings::read(&root).unwrap()).unwrap();
    let registry = artifacts
        .iter()
        .find(|artifact| artifact.contract_name == "ToolRegistry");
    assert!(
        registry.is_some_and(|registry| registry.code.is_some()),
        "the registry was not compiled"
    );

    let differences = ArtifactFolder::of_repository(&root)
        .compare(&artifacts)
        .unwrap();
    assert!(
        differences.is_empty(),
        "run make artifacts: {differences:?}"
    );
}
