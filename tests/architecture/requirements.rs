//! By the sources alone. `coverage-matrix`, which `make architecture` runs as well, also requires that the tests passed.

use acceptance::{
    coverage::{self, Requirements},
    repository::Repository,
    workspace::Workspace,
};

use crate::assert_none;

/// Traps are not in the table at the top of `requirements.md`.
const TRAPS: usize = 54;

#[test]
fn the_requirements_are_numbered_without_gaps() {
    let text = Repository::here().read("tests/requirements.md").unwrap();
    assert_none(
        &Requirements::parse(&text, "", "")
            .unwrap()
            .count_errors(TRAPS),
    );
}

#[test]
fn every_requirement_is_cited_pending_or_reviewed() {
    let repository = Repository::here();
    let workspace = Workspace::read(&repository).unwrap();
    assert_none(&coverage::of(&repository, &workspace, None).unwrap().errors);
}
