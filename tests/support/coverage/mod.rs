//! Which requirement is proved by which test.

pub mod catalogue;
mod fault;
mod id;
mod judgement;
pub mod matrix;
pub mod pending;
pub mod report;
pub mod reviewed;
pub mod table;

pub use self::{
    fault::Fault,
    id::RequirementId,
    judgement::{Claims, Coverage, Evidence, State, Verdict},
    matrix::{Level, Matrix},
};
use crate::{house::workspace::Workspace, repository::Repository};
use eyre::Result;

/// A test proves at most this many requirements.
pub const MAX_CITATIONS: usize = 4;

/// Readings of unclear passages in the matrix; they are not in the table at its top.
pub const TRAP_COUNT: usize = 54;

/// Judges the repository as it stands.
pub fn of(repository: &Repository, workspace: &Workspace, evidence: &Evidence) -> Result<Coverage> {
    let solidity = repository.files("contracts/test", "sol")?;
    let rust = [
        repository.files("crates", "rs")?,
        repository.files("tests", "rs")?,
    ]
    .concat();
    let claims = Claims {
        matrix: Matrix::parse(&repository.read("tests/requirements.md")?)?,
        pending: pending::parse(&repository.read("tests/pending.txt")?)?,
        reviews: reviewed::parse(&repository.read("tests/reviewed.md")?)?,
        tests: [
            catalogue::solidity_tests(&solidity),
            catalogue::rust_tests(&rust, &workspace.targets),
        ]
        .concat(),
    };
    Ok(Coverage::judge(&claims, evidence))
}
