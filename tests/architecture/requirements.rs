use acceptance::{
    coverage::{self, Matrix, TRAP_COUNT},
    house::workspace::Workspace,
    repository::Repository,
};

use crate::{assert_none, say};

#[test]
fn the_matrix_has_the_rows_it_promises() {
    let matrix = Matrix::parse(&Repository::here().read("tests/requirements.md").unwrap()).unwrap();
    assert_none(&matrix.miscounts(TRAP_COUNT));
}

#[test]
fn every_requirement_is_proved_pending_or_reviewed() {
    let repository = Repository::here();
    let workspace = Workspace::parse(&repository.cargo_metadata().unwrap()).unwrap();
    let evidence = repository.evidence().unwrap();
    say(evidence.basis());
    assert_none(
        &coverage::of(&repository, &workspace, &evidence)
            .unwrap()
            .faults,
    );
}
