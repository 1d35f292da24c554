//! The one door to the environment, for this package.

/// The cargo that started us.
pub fn cargo() -> String {
    variable("CARGO").unwrap_or_else(|| "cargo".to_owned())
}

/// Where anvil is, from the root of the repository: `ANVIL`, which `make` sets, or the pinned one.
pub fn anvil() -> String {
    variable("ANVIL").unwrap_or_else(|| "contracts/node_modules/.bin/anvil".to_owned())
}

/// Where forge is, likewise.
pub fn forge() -> String {
    variable("FORGE").unwrap_or_else(|| "contracts/node_modules/.bin/forge".to_owned())
}

/// Whether `PROPTEST_CASES` says how often every property is tried. proptest itself reads the number.
pub fn cases_are_chosen() -> bool {
    variable("PROPTEST_CASES").is_some()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test program has no caller to pass it down"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
