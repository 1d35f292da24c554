//! Findings of the manifest rules.

use serde::Serialize;

use crate::{Error, Violation};

/// All violations and warnings, in the order of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Violated rules. Empty if the manifest is valid.
    pub violations: Vec<Violation>,
    /// Problems that do not make the manifest invalid.
    pub warnings: Vec<Violation>,
    /// Whether there are more findings than listed.
    pub truncated: bool,
}

impl Findings {
    /// Whether there are no violations.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether there are neither violations nor warnings.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.violations.is_empty() && self.warnings.is_empty()
    }
}

impl From<&Error> for Findings {
    /// A parse error is a single violation.
    fn from(error: &Error) -> Self {
        Self {
            violations: vec![Violation::from(error)],
            ..Self::default()
        }
    }
}
