//! Environment variables of the suites.

/// The cargo that started this process.
pub fn cargo() -> String {
    variable("CARGO").unwrap_or_else(|| "cargo".to_owned())
}

/// Whether `PROPTEST_CASES` sets the number of cases. proptest itself reads the number.
pub fn has_case_count() -> bool {
    variable("PROPTEST_CASES").is_some()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test program has no caller to pass it down"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
