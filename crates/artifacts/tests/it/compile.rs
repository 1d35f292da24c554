use atr_artifacts::{CompilerSettings, compile};

use crate::sample::SampleRepository;

#[test]
fn keeps_deployable_contracts_and_our_own_interfaces_only() {
    let sample = SampleRepository::new();
    let artifacts = compile(&CompilerSettings::read(sample.root()).unwrap())
        .unwrap()
        .artifacts;

    let kept: Vec<_> = artifacts
        .iter()
        .map(|artifact| (artifact.contract_name.as_str(), artifact.code.is_some()))
        .collect();
    assert_eq!(
        kept,
        [("IMarker", false), ("ISample", false), ("Sample", true)]
    );
}

#[test]
fn names_inherited_immutables_and_points_at_zeroes_in_the_runtime_code() {
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
fn records_where_a_contract_comes_from_without_a_path_of_this_machine() {
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
fn gives_the_same_code_whatever_else_is_compiled_beside_it() {
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
