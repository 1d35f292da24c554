use acceptance::{
    house::{contracts, crates, hygiene, trees, workspace::Workspace},
    repository::Repository,
    source::SourceFile,
};

use crate::{assert_none, say};

/// What is committed, or none with a word about it: an unpacked archive cannot tell.
fn committed() -> Option<Vec<SourceFile>> {
    let files = Repository::here()
        .committed_files()
        .expect("git lists what is committed");
    if files.is_none() {
        say("skipped what git would have to tell: this checkout has no .git");
    }
    files
}

fn files(folder: &str, extension: &str) -> Vec<SourceFile> {
    let files = Repository::here()
        .files(folder, extension)
        .expect("sources are readable text");
    assert!(
        !files.is_empty(),
        "no .{extension} files under {folder}: nothing was checked"
    );
    files
}

#[test]
fn the_top_level_is_the_one_we_agreed_on() {
    let Some(files) = committed() else { return };
    let paths: Vec<_> = files.into_iter().map(|file| file.path).collect();
    assert_none(&hygiene::top_level(&paths));
}

#[test]
fn no_committed_file_holds_a_path_of_one_machine() {
    let Some(files) = committed() else { return };
    assert_none(&hygiene::machine_paths(&files));
}

#[test]
fn no_lock_file_names_a_download_address() {
    let Some(files) = committed() else { return };
    assert_none(&hygiene::download_addresses(&files));
}

#[test]
fn contracts_import_nothing_from_outside_and_keep_to_their_limits() {
    assert_none(&contracts::check(&files("contracts/src", "sol")));
}

#[test]
fn tests_deploy_the_bytes_we_ship() {
    assert_none(&contracts::check_tests(&files("contracts/test", "sol")));
}

#[test]
fn every_tree_has_its_tests_beside_it() {
    let trees = files("contracts/test/unit", "tree");
    assert_none(&trees::check(&trees, &files("contracts/test/unit", "sol")));
}

#[test]
fn rust_files_and_their_test_modules_keep_to_their_limits() {
    assert_none(&crates::lengths(
        &[files("crates", "rs"), files("tests", "rs")].concat(),
    ));
}

#[test]
fn every_crate_opens_with_its_readme() {
    let metadata = Repository::here().cargo_metadata().unwrap();
    let folders: Vec<_> = Workspace::parse(&metadata)
        .unwrap()
        .crates
        .into_iter()
        .map(|found| found.folder)
        .collect();
    let pages = [files("crates", "rs"), files("crates", "md")].concat();
    assert_none(&crates::front_pages(&folders, &pages));
}
