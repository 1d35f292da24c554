//! What came of one check.

use atr_ids::ToolRef;
use atr_manifest::Violation;
use serde::Serialize;

/// What came of one check. Only `Passed` counts in the tool's favour; the others differ in what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum CheckResult {
    /// It holds.
    Passed {
        /// What was seen.
        observed: String,
    },
    /// It does not hold.
    Failed(Failure),
    /// Could not find out for now: the same question may be answered later.
    Unknown(Failure),
    /// It was not looked at, because something before it is missing.
    NotReached {
        /// What is missing.
        because: String,
    },
}

/// Why a check does not hold, told so that the publisher can act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The same in every version.
    pub code: &'static str,
    /// What there is.
    pub observed: String,
    /// What there should be.
    pub expected: String,
    /// What most likely happened.
    pub cause: String,
    /// What puts it right.
    pub fix: String,
    /// The command that does, or that comes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Rules of the bytes that are broken, one by one; only the third check has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
}

/// Stands for the tool in a command until it is known which tool that is.
const THE_TOOL: &str = "<tool>";

impl Failure {
    pub(crate) fn new(
        code: &'static str,
        observed: impl Into<String>,
        expected: impl Into<String>,
        cause: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            code,
            observed: observed.into(),
            expected: expected.into(),
            cause: cause.into(),
            fix: fix.into(),
            command: None,
            violations: Vec::new(),
        }
    }

    /// The registration has to be brought up to date once that is done, perhaps to another place.
    pub(crate) fn then_update(self, place: Option<&str>) -> Self {
        let place = place.map_or_else(String::new, |place| format!(" --metadata {place}"));
        Self {
            command: Some(format!("atr tool update {THE_TOOL}{place}")),
            ..self
        }
    }

    /// The same, about a tool.
    pub(crate) fn about(mut self, tool: ToolRef) -> Self {
        self.command = self
            .command
            .map(|text| text.replace(THE_TOOL, &tool.to_string()));
        self
    }
}

impl CheckResult {
    /// Whether the check holds.
    #[must_use]
    pub const fn has_passed(&self) -> bool {
        matches!(self, Self::Passed { .. })
    }

    /// Why it does not hold or could not be told.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) | Self::Unknown(failure) => Some(failure),
            Self::Passed { .. } | Self::NotReached { .. } => None,
        }
    }

    pub(crate) fn about(self, tool: ToolRef) -> Self {
        match self {
            Self::Failed(failure) => Self::Failed(failure.about(tool)),
            Self::Unknown(failure) => Self::Unknown(failure.about(tool)),
            other => other,
        }
    }

    pub(crate) fn passed(observed: impl Into<String>) -> Self {
        Self::Passed {
            observed: observed.into(),
        }
    }

    pub(crate) fn not_reached(because: impl Into<String>) -> Self {
        Self::NotReached {
            because: because.into(),
        }
    }
}
