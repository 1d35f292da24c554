//! The result of one comparison.

use serde::Serialize;

/// Three outcomes. What could not be checked is never a mismatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Check {
    /// Both sides are equal.
    Match,
    /// The sides differ.
    #[expect(missing_docs, reason = "plain data")]
    Mismatch { found: String, expected: String },
    /// The comparison could not be made.
    #[expect(missing_docs, reason = "plain data")]
    Unknown { reason: String },
}

impl Check {
    /// Whether the outcome is [`Check::Match`].
    #[must_use]
    pub const fn is_match(&self) -> bool {
        matches!(self, Self::Match)
    }

    /// Whether the outcome is [`Check::Mismatch`].
    #[must_use]
    pub const fn is_mismatch(&self) -> bool {
        matches!(self, Self::Mismatch { .. })
    }

    /// Whether the outcome is [`Check::Unknown`].
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown {
            reason: reason.into(),
        }
    }

    /// Compares two texts exactly. Mismatches show excerpts.
    pub(crate) fn exact(found: &str, expected: &str) -> Self {
        if found == expected {
            return Self::Match;
        }
        Self::Mismatch {
            found: atr_ids::sanitize(found),
            expected: atr_ids::sanitize(expected),
        }
    }
}
