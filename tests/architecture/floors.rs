use acceptance::{
    house::{floors, workspace::Workspace},
    repository::Repository,
};

use crate::assert_none;

#[test]
fn every_crate_depends_on_lower_floors_only() {
    let metadata = Repository::here().cargo_metadata().unwrap();
    let workspace = Workspace::parse(&metadata).unwrap();
    assert!(!workspace.crates.is_empty());
    assert_none(&floors::check(&workspace.crates));
}
