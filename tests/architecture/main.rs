//! Checks of the repository that compilers and linters do not make.

mod layers;
mod layout;

use acceptance::{coverage::Coverage, repository::Repository};

/// Fails with every error, not only the first.
#[track_caller]
fn assert_none(errors: &[String]) {
    assert!(
        errors.is_empty(),
        "{} errors\n{}",
        errors.len(),
        errors.join("\n")
    );
}

/// By the sources alone. `coverage-matrix`, which `make architecture` runs as well, also requires that the tests passed.
#[test]
fn every_requirement_is_cited_pending_or_reviewed() {
    assert_none(&Coverage::read(&Repository::here(), None).unwrap().errors);
}
