//! Everything the rules have to say about a document.

use serde::Serialize;

use crate::{Error, Violation};

/// What was found, all of it, in the order of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Why the manifest is refused; none if it is not.
    pub violations: Vec<Violation>,
    /// What is allowed and had better be otherwise.
    pub warnings: Vec<Violation>,
    /// Whether there was more than is listed. No honest manifest has that much wrong with it.
    pub truncated: bool,
}

impl Findings {
    /// Whether nothing speaks against the manifest.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.violations.is_empty()
    }

    /// Whether there is nothing to say at all.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.violations.is_empty() && self.warnings.is_empty()
    }
}

impl From<&Error> for Findings {
    /// Bytes that are no document have one fault: the one that stopped the reader.
    fn from(error: &Error) -> Self {
        Self {
            violations: vec![Violation::from(error)],
            ..Self::default()
        }
    }
}
