//! The result of validating an instance.

use atr_manifest::Pointer;
use serde::Serialize;

use crate::budget::Exhausted;

/// Three outcomes. Only the outermost caller may treat unknown as invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The instance follows the schema.
    Valid,
    /// The instance does not follow the schema. At least one failure, at most [`crate::MAX_FAILURES`]: there may be more.
    Invalid(Vec<Failure>),
    /// Validation was too costly and stopped. Another budget may lead to another outcome.
    Unknown(Exhausted),
}

impl Outcome {
    /// Whether the outcome is [`Outcome::Valid`].
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        matches!(self, Self::Valid)
    }

    /// The failures of an invalid instance; otherwise none.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        match self {
            Self::Invalid(failures) => failures,
            Self::Valid | Self::Unknown(_) => &[],
        }
    }
}

/// A value of the instance that a keyword of the schema rejects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The rejected value, from the root of the instance.
    pub instance_location: Pointer,
    /// The JSON pointer of the keyword, from the root of the schema. References are resolved: the pointer names the keyword
    /// itself.
    pub keyword_location: Pointer,
    /// What the keyword requires. Contains no value of the instance: values may be secret, and of any length.
    pub message: String,
}
