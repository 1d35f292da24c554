use crate::sample::SampleRepository;

#[test]
fn includes_deployable_contracts_and_own_interfaces() {
    let artifacts = SampleRepository::new().compile().artifacts;
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
    let artifacts = SampleRepository::new().compile().artifacts;
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
fn files_contain_no_absolute_paths_and_do_not_depend_on_other_sources() {
    let sample = SampleRepository::new();
    let before = sample.compile().files();
    for (file, json) in &before {
        assert!(
            !json.contains(&sample.root().display().to_string()),
            "{file}"
        );
    }
    sample.write_source(
        "Another.sol",
        "contract Another { function a() external pure returns (uint256) { return 1; } }",
    );
    let after = sample.compile().files();

    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after["Sample.json"], before["Sample.json"]);
}
