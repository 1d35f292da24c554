use std::{fs, process::Output};

use crate::sample::SampleRepository;

fn assert_could_not_find_out(output: &Output, message: &str) {
    let stderr = std::str::from_utf8(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
}

#[test]
fn a_missing_compiler_is_named_and_make_deps_is_recommended() {
    let sample = SampleRepository::new();
    sample.write_settings("script/dev/solc");
    let output = sample.run(&["--check"]);
    assert_could_not_find_out(
        &output,
        "cannot run the Solidity compiler at script/dev/solc",
    );
    assert_could_not_find_out(&output, "`make deps`");
}

#[cfg(unix)]
#[test]
fn what_the_compiler_says_about_a_missing_installation_is_passed_on() {
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
    assert_could_not_find_out(&sample.run(&[]), "the pinned compiler is not installed");
}

#[test]
fn sources_that_do_not_compile_are_reported_in_the_compilers_words() {
    let sample = SampleRepository::new();
    sample.write_source(
        "Broken.sol",
        "contract Broken { function f() external { undefined(); } }",
    );
    let output = sample.run(&[]);
    assert_could_not_find_out(&output, "src/Broken.sol");
    assert_could_not_find_out(&output, "Undeclared identifier");
    assert!(!sample.artifact("Sample").exists());
}

#[test]
fn an_import_from_outside_the_source_folder_does_not_compile() {
    let sample = SampleRepository::new();
    sample.write_source(
        "Outsider.sol",
        "import \"forge-std/Test.sol\";\ncontract Outsider {}",
    );
    assert_could_not_find_out(&sample.run(&[]), "forge-std/Test.sol");
}

#[test]
fn two_contracts_of_one_name_are_refused() {
    let sample = SampleRepository::new();
    sample.write_source("other/Sample.sol", "contract Sample {}");
    assert_could_not_find_out(&sample.run(&[]), "two contracts are named Sample");
}

#[test]
fn an_empty_source_folder_is_refused() {
    let sample = SampleRepository::new();
    fs::remove_dir_all(sample.root().join("src")).unwrap();
    fs::create_dir(sample.root().join("src")).unwrap();
    assert_could_not_find_out(&sample.run(&[]), "no contract found under src");
}

#[test]
fn outside_a_repository_it_asks_for_the_root() {
    let sample = SampleRepository::new();
    fs::remove_file(sample.root().join("foundry.toml")).unwrap();
    assert_could_not_find_out(&sample.run(&[]), "--root");
}
