use atr_artifacts::{CompilerSettings, compile};

use crate::sample::SampleRepository;

#[test]
fn includes_deployable_contracts_and_own_interfaces() {
    let sample = SampleRepository::new();
    let artifacts = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;

    let found: Vec<_> = artifacts
        .iter()
        .map(|artifact| (artifact.contract_name.as_str(), artifact.code.is_some()))
        .collect();
    assert_eq!(
        found,
        [("IMarker", false), ("ISample", false), ("Sample", true)]
    );
}

#[test]
fn immutable_positions_point_at_zeros_in_the_runtime_code() {
    let sample = SampleRepository::new();
    let artifacts = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;
    let code = artifacts.last().unwrap().code.as_ref().unwrap();

    let names: Vec<_> = code.immutable_references.keys().collect();
    assert_eq!(names, ["SEED"]);
    for range in &code.immutable_references["SEED"] {
        let start = 2 + 2 * range.start as usize;
        let digits = &code.deployed_bytecode[start..start + 2 * range.length as usize];
        assert_eq!(digits, "0".repeat(64));
    }
    assert!(code.bytecode.len() > code.deployed_bytecode.len());
}

#[test]
fn source_names_are_relative_paths() {
    let sample = SampleRepository::new();
    let artifacts = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;
    let json = artifacts.last().unwrap().to_json();

    assert!(
        json.contains("\"sourceName\": \"src/Sample.sol\""),
        "{json}"
    );
    assert!(json.contains("\"version\": \"0.8.37+commit."), "{json}");
    assert!(json.contains("\"evmVersion\": \"cancun\""), "{json}");
    assert!(
        !json.contains(&sample.root().display().to_string()),
        "{json}"
    );
}

#[test]
fn bytecode_does_not_depend_on_other_sources() {
    let sample = SampleRepository::new();
    let before = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;
    sample.write_source(
        "Another.sol",
        "contract Another { function a() external pure returns (uint256) { return 1; } }",
    );
    let after = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;

    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(
        after.last().unwrap().to_json(),
        before.last().unwrap().to_json()
    );
}
