//! Checks of the repository that compilers and linters do not make.

mod layers;
mod layout;

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
