//! The one door to the environment, for this package.

use eyre::{Result, bail};

/// Whether reports must be there: `ATR_REPORTS=required`, which `make test` sets after it has written them.
pub fn reports_are_required() -> Result<bool> {
    required(variable("ATR_REPORTS").as_deref())
}

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

fn required(value: Option<&str>) -> Result<bool> {
    match value {
        None => Ok(false),
        Some("required") => Ok(true),
        Some(other) => bail!("ATR_REPORTS is `{other}`: set it to `required` or not at all"),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test program has no caller to pass it down"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_setting_is_refused_rather_than_ignored() {
        assert!(!required(None).unwrap());
        assert!(required(Some("required")).unwrap());
        assert!(required(Some("Required")).is_err());
    }
}
