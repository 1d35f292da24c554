//! What can be wrong with the coverage of the requirements.

use std::fmt;

use super::{
    Level, RequirementId,
    report::{Outcome, Runner},
};

/// One reason for which the suite fails. The text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "a variant's line tells what its fields hold")]
pub enum Fault {
    /// A row that nothing accounts for.
    Unaccounted { id: RequirementId, level: Level },
    /// A row that left too little behind: a test proves it, yet it is listed as not due.
    ProvedAndPending { id: RequirementId, test: String },
    /// A row that a test proves, yet we say we do not follow it.
    ProvedAndDeclined { id: RequirementId, test: String },
    /// A row that is said to be settled and not due.
    PendingAndReviewed { id: RequirementId },
    /// A MUST or a trap that we say we do not follow.
    DeclinedButBinding { id: RequirementId, level: Level },
    /// A test cites a row that the matrix does not have.
    UnknownInTest { id: RequirementId, test: String },
    /// A list names a row that the matrix does not have.
    UnknownInList {
        id: RequirementId,
        list: &'static str,
    },
    /// A list names a row twice.
    NamedTwice {
        id: RequirementId,
        list: &'static str,
    },
    /// A test claims to prove too much.
    TooManyCitations {
        test: String,
        ids: Vec<RequirementId>,
    },
    /// A citing test is not in its runner's report as passed.
    NotPassed {
        test: String,
        ids: Vec<RequirementId>,
        outcome: Outcome,
        runner: Runner,
    },
    /// A report that must be there is not.
    ReportMissing { runner: Runner },
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unaccounted { id, level } => write!(
                out,
                "{id} ({level}) is neither cited by a test that ran, nor in tests/pending.txt, nor in tests/reviewed.md"
            ),
            Self::ProvedAndPending { id, test } => {
                write!(
                    out,
                    "{id} is proved by {test}: take it out of tests/pending.txt"
                )
            }
            Self::ProvedAndDeclined { id, test } => {
                write!(
                    out,
                    "{id} is proved by {test}, but tests/reviewed.md declines it"
                )
            }
            Self::PendingAndReviewed { id } => {
                write!(
                    out,
                    "{id} is in tests/pending.txt and in tests/reviewed.md: keep one"
                )
            }
            Self::DeclinedButBinding { id, level } => {
                write!(
                    out,
                    "{id} ({level}) is declined in tests/reviewed.md: only a SHOULD or MAY can be"
                )
            }
            Self::UnknownInTest { id, test } => {
                write!(
                    out,
                    "{test} cites {id}, which tests/requirements.md does not have"
                )
            }
            Self::UnknownInList { id, list } => {
                write!(
                    out,
                    "tests/{list} names {id}, which tests/requirements.md does not have"
                )
            }
            Self::NamedTwice { id, list } => write!(out, "tests/{list} names {id} twice"),
            Self::TooManyCitations { test, ids } => write!(
                out,
                "{test} cites {} requirements ({}); a test proves at most {}: split it",
                ids.len(),
                joined(ids),
                super::MAX_CITATIONS
            ),
            Self::NotPassed {
                test,
                ids,
                outcome,
                runner,
            } => write!(
                out,
                "{test} cites {} but {} {}; run `{}`",
                joined(ids),
                match outcome {
                    Outcome::Missing => "is not in",
                    Outcome::Skipped => "was skipped in",
                    Outcome::Failed => "failed in",
                    Outcome::Passed => "passed in",
                },
                runner.report_path(),
                runner.command()
            ),
            Self::ReportMissing { runner } => {
                write!(
                    out,
                    "{} is missing: run `{}` first",
                    runner.report_path(),
                    runner.command()
                )
            }
        }
    }
}

fn joined(ids: &[RequirementId]) -> String {
    ids.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_did_not_pass_is_told_with_its_report_and_what_to_run() {
        let fault = Fault::NotPassed {
            test: "contracts/test/a.t.sol::test_A".into(),
            ids: vec!["A-01".parse().unwrap(), "A-02".parse().unwrap()],
            outcome: Outcome::Skipped,
            runner: Runner::Forge,
        };
        assert_eq!(
            fault.to_string(),
            "contracts/test/a.t.sol::test_A cites A-01, A-02 but was skipped in \
             target/reports/sol.xml; run `make test-sol`"
        );
    }
}
