//! The house itself: requirements and their tests, floors, layout.

mod floors; // a crate depends on lower floors only
mod layout; // where files stand, how long they are, what may be committed
mod requirements; // every requirement is proved, pending or reviewed

/// Fails with everything that is wrong, not only with the first of it.
#[track_caller]
fn assert_none<T: ToString>(faults: &[T]) {
    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        lines.join("\n")
    );
}

/// Speaks past the test harness, which swallows what is printed by tests that pass.
fn say(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "architecture: {text}");
}
