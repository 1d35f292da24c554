//! Outcomes of a command and their exit codes.

use std::process::ExitCode;

use atr_deploy::AuditStatus;

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// For example granted, verified or valid.
    Success,
    /// For example denied, failed, invalid, reverted or declined.
    Failure,
    /// Invalid arguments, environment variables or configuration file.
    UsageError,
    /// The result could not be determined.
    Unknown,
}

impl Outcome {
    /// The exit code. Part of the public interface.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::UsageError => 2,
            Self::Unknown => 3,
        }
    }

    pub(crate) const fn from_deploy_error(error: &atr_deploy::Error) -> Self {
        if error.is_usage_error() {
            Self::UsageError
        } else if error.is_rejection() {
            Self::Failure
        } else {
            Self::Unknown
        }
    }

    pub(crate) const fn from_rpc_error(error: &atr_rpc::Error) -> Self {
        if error.is_usage_error() {
            Self::UsageError
        } else if error.is_rejection() {
            Self::Failure
        } else {
            Self::Unknown
        }
    }

    pub(crate) const fn from_registry_error(error: &atr_registry::Error) -> Self {
        use atr_registry::Error;
        if let Error::Rpc(error) = error {
            Self::from_rpc_error(error)
        } else if error.is_rejection()
            || matches!(error, Error::NotARegistry { .. } | Error::NoContract { .. })
        {
            Self::Failure
        } else {
            Self::Unknown
        }
    }

    pub(crate) fn from_client_error(error: &atr_client::Error) -> Self {
        use atr_client::Error;
        use atr_verify::Status;
        match error {
            Error::ArgumentsJson(_) | Error::ArgumentsNotAnObject | Error::Arguments { .. } => {
                Self::UsageError
            }
            Error::NotVerified(verdict) if verdict.status() == Status::Unknown => Self::Unknown,
            Error::NotVerified(_)
            | Error::Schema { .. }
            | Error::Challenge(_)
            | Error::NoUsableRequirement { .. }
            | Error::ForeignAudience { .. }
            | Error::Policy(_)
            | Error::DiffersFromManifest
            | Error::Signature(_)
            | Error::Rejected { .. }
            | Error::PaidWithoutResponse { .. } => Self::Failure,
            _ => Self::Unknown,
        }
    }

    /// A halted registry is a failure: the chain or the node shows something wrong.
    pub(crate) const fn from_indexer_error(error: &atr_indexer::Error) -> Self {
        use atr_indexer::Error;
        use atr_registry::Error as Registry;
        match error {
            Error::CodeChanged { .. }
            | Error::Registry(
                Registry::EventGap { .. }
                | Registry::EventsMissing { .. }
                | Registry::Rpc(atr_rpc::Error::ReorgTooDeep { .. }),
            ) => Self::Failure,
            Error::Registry(error) => Self::from_registry_error(error),
            _ => Self::Unknown,
        }
    }

    pub(crate) const fn from_gate_error(error: &atr_registry::GateError) -> Self {
        match error {
            atr_registry::GateError::Registry(error) => Self::from_registry_error(error),
            atr_registry::GateError::NoDecimals { .. } => Self::Failure,
            _ => Self::UsageError,
        }
    }

    /// Value of `outcome` in JSON errors.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::UsageError => "usage-error",
            Self::Unknown => "unknown",
        }
    }
}

impl From<AuditStatus> for Outcome {
    fn from(status: AuditStatus) -> Self {
        match status {
            AuditStatus::Pass => Self::Success,
            AuditStatus::Fail => Self::Failure,
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
            Outcome::Success,
            Outcome::Failure,
            Outcome::UsageError,
            Outcome::Unknown,
        ]
        .map(Outcome::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
