//! The four ways a command can end, and their exit codes.

use std::process::ExitCode;

use atr_deploy::Verdict;

/// How a command ended. Every command answers one of these, so that scripts can tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, or the answer is yes.
    Yes,
    /// The answer is no. Looking succeeded: this is not a failure.
    No,
    /// The question was wrong: arguments, environment or configuration file.
    Misuse,
    /// The question was right and the answer could not be had.
    Unknown,
}

impl Outcome {
    /// The number the process ends with; scripts rely on these.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Misuse => 2,
            Self::Unknown => 3,
        }
    }

    /// How a command ends that a deployment's error ended.
    pub(crate) const fn of_deploy_error(error: &atr_deploy::Error) -> Self {
        if error.is_misuse() {
            Self::Misuse
        } else if error.is_refusal() {
            Self::No
        } else {
            Self::Unknown
        }
    }

    /// How a command ends that a registry's error ended.
    pub(crate) const fn of_registry_error(error: &atr_registry::Error) -> Self {
        if error.is_refusal() {
            Self::No
        } else {
            Self::Unknown
        }
    }

    /// The word for it in `--json` errors.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Misuse => "misuse",
            Self::Unknown => "unknown",
        }
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Yes => Self::Yes,
            Verdict::No => Self::No,
            Verdict::Unknown => Self::Unknown,
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
    fn exit_codes_are_the_published_ones() {
        let codes =
            [Outcome::Yes, Outcome::No, Outcome::Misuse, Outcome::Unknown].map(Outcome::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
