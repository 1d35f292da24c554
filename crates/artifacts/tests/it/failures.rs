use std::{fs, process::Output};

use crate::sample::SampleRepository;

fn assert_fails(output: &Output, message: &str) {
    let stderr = std::str::from_utf8(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
}

#[test]
fn reports_a_missing_compiler() {
    let sample = SampleRepository::new();
    sample.write_settings("script/dev/solc");
    let output = sample.run(&["--check"]);
    assert_fails(
        &output,
        "cannot run the Solidity compiler at script/dev/solc",
    );
    assert_fails(&output, "`make deps`");
}

#[cfg(unix)]
#[test]
fn reports_the_error_output_of_the_compiler() {
    use std::os::unix::fs::PermissionsExt;

    let sample = SampleRepository::new();
    let shim = sample.root().join("solc");
    fs::write(
        &shim,
        "#!/bin/sh\necho 'the pinned compiler is not installed' >&2\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    sample.write_settings("./solc");
    assert_fails(&sample.run(&[]), "the pinned compiler is not installed");
}

#[test]
fn reports_compilation_errors() {
    let sample = SampleRepository::new();
    sample.write_source(
        "Broken.sol",
        "contract Broken { function f() external { undefined(); } }",
    );
    let output = sample.run(&[]);
    assert_fails(&output, "src/Broken.sol");
    assert_fails(&output, "Undeclared identifier");
    assert!(!sample.artifact("Sample").exists());
}

#[test]
fn rejects_an_import_from_outside_the_source_folder() {
    let sample = SampleRepository::new();
    sample.write_source(
        "Outsider.sol",
        "import \"forge-std/Test.sol\";\ncontract Outsider {}",
    );
    assert_fails(&sample.run(&[]), "forge-std/Test.sol");
}

#[test]
fn rejects_two_contracts_with_the_same_name() {
    let sample = SampleRepository::new();
    sample.write_source("other/Sample.sol", "contract Sample {}");
    assert_fails(&sample.run(&[]), "two contracts are named Sample");
}

#[test]
fn rejects_an_empty_source_folder() {
    let sample = SampleRepository::new();
    fs::remove_dir_all(sample.root().join("src")).unwrap();
    fs::create_dir(sample.root().join("src")).unwrap();
    assert_fails(&sample.run(&[]), "no contract found under src");
}

#[test]
fn reports_missing_and_invalid_settings_with_their_line() {
    for (setting, replacement, message) in [
        ("via_ir", "via-ir = true", "missing field `via_ir`"),
        ("src", "src = 1", "line 2"),
        ("evm_version", "evm_version = \"canton\"", "line 6"),
        ("optimizer_runs", "optimizer_runs = -1", "line 8"),
        ("test", "test = ", "line 3"),
    ] {
        let sample = SampleRepository::new();
        let path = sample.root().join("foundry.toml");
        let settings = fs::read_to_string(&path).unwrap();
        let lines = settings.lines().map(|line| {
            let name = line.split(" =").next().unwrap();
            if name == setting { replacement } else { line }
        });
        fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let output = sample.run(&["--check"]);
        assert_fails(&output, "foundry.toml: ");
        assert_fails(&output, message);
    }
}

#[test]
fn fails_outside_a_repository() {
    let sample = SampleRepository::new();
    fs::remove_file(sample.root().join("foundry.toml")).unwrap();
    assert_fails(&sample.run(&[]), "--root");
}
