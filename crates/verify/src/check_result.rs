//! Result of one check.

use atr_manifest::Violation;
use serde::Serialize;

/// Result of one check. Only `Passed` counts towards verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum CheckResult {
    /// The check passed.
    Passed {
        /// The value that satisfied the check.
        observed: String,
    },
    /// The check failed.
    Failed(Failure),
    /// The check could not be completed; a later attempt may give another result.
    Inconclusive(Failure),
    /// The check did not run, because an earlier step gave it no input.
    Skipped {
        /// Why the check did not run.
        reason: String,
    },
}

/// Why a check failed or is inconclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable machine-readable code.
    pub code: &'static str,
    /// The value found.
    pub observed: String,
    /// The value required.
    pub expected: String,
    /// The most likely cause.
    pub cause: String,
    /// What the publisher has to change.
    pub fix: String,
    /// The action that follows the fix, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// Byte-level rules the manifest violates. Empty except for the hash check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
}

/// Action that resolves a failure. Callers turn it into instructions, such as a command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "action",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum Remedy {
    /// Update the registered hash. `metadataURI` stays the same.
    UpdateHash,
    /// Register another `metadataURI`.
    UpdateMetadataUri {
        /// The URI to register, if it can be derived.
        metadata_uri: Option<String>,
    },
    /// Trust the certificate authority of this host, if its operator is the user.
    TrustCertificate {
        /// `host:port`, as [`atr_fetch::AllowedHost`] parses it.
        host: String,
    },
    /// Allow this host to resolve to addresses that are not public.
    AllowHost {
        /// `host:port`, as [`atr_fetch::AllowedHost`] parses it.
        host: String,
    },
}

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
            remedy: None,
            violations: Vec::new(),
        }
    }

    pub(crate) fn with_remedy(self, remedy: Remedy) -> Self {
        Self {
            remedy: Some(remedy),
            ..self
        }
    }
}

impl CheckResult {
    /// Whether the check passed.
    #[must_use]
    pub const fn is_passed(&self) -> bool {
        matches!(self, Self::Passed { .. })
    }

    /// Why the check failed or is inconclusive.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) | Self::Inconclusive(failure) => Some(failure),
            Self::Passed { .. } | Self::Skipped { .. } => None,
        }
    }

    pub(crate) fn passed(observed: impl Into<String>) -> Self {
        Self::Passed {
            observed: observed.into(),
        }
    }

    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped {
            reason: reason.into(),
        }
    }
}
