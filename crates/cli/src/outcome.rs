//! Outcomes of a command and their exit codes.

use std::process::ExitCode;

use atr_deploy::AuditStatus;

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Success, or the answer is yes.
    Yes,
    /// The answer is no: denied, failed, invalid, reverted or declined.
    No,
    /// Invalid arguments, environment variables or configuration file.
    UsageError,
    /// The answer could not be determined.
    Unknown,
}

impl Outcome {
    /// The exit code. Part of the public interface.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::UsageError => 2,
            Self::Unknown => 3,
        }
    }

    pub(crate) const fn from_deploy_error(error: &atr_deploy::Error) -> Self {
        if error.is_usage_error() {
            Self::UsageError
        } else if error.is_rejection() {
            Self::No
        } else {
            Self::Unknown
        }
    }

    pub(crate) const fn from_registry_error(error: &atr_registry::Error) -> Self {
        if error.is_rejection() {
            Self::No
        } else {
            Self::Unknown
        }
    }

    /// Value of `outcome` in JSON errors.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::UsageError => "usage-error",
            Self::Unknown => "unknown",
        }
    }
}

impl From<AuditStatus> for Outcome {
    fn from(status: AuditStatus) -> Self {
        match status {
            AuditStatus::Pass => Self::Yes,
            AuditStatus::Fail => Self::No,
            AuditStatus::Inconclusive => Self::Unknown,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_match_the_documentation() {
        let codes = [
            Outcome::Yes,
            Outcome::No,
            Outcome::UsageError,
            Outcome::Unknown,
        ]
        .map(Outcome::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
