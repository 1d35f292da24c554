//! Checks that every requirement of `tests/requirements.md` is proved by a test that ran, pending or reviewed.
#![expect(missing_docs, reason = "plain data; names and types say it")]

mod report;
mod requirements;
mod sources;
pub mod table;

use std::collections::{BTreeMap, BTreeSet};

use eyre::Result;
use serde::Serialize;

pub use self::{
    report::{Case, Outcome, Report, Reports, Runner},
    requirements::{Level, Requirement, RequirementId, Requirements, Review},
    sources::{Test, rust_tests, solidity_tests},
};
use crate::{repository::Repository, workspace::Workspace};

/// A test may cite at most this many requirements.
const MAX_CITATIONS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A test cites it; with reports, the test also passed.
    Proved,
    /// Listed in `tests/pending.txt`.
    Pending,
    /// Holds by the reasoning in `tests/reviewed.md`.
    Reviewed,
    /// A SHOULD or MAY that `tests/reviewed.md` declines.
    Declined,
    /// None of the above, which is an error.
    Open,
}

#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub id: RequirementId,
    pub level: Level,
    pub state: State,
    pub text: String,
    /// `path::name` of the tests that prove it.
    pub tests: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Coverage {
    /// One per requirement, in the order of the file.
    pub rows: Vec<Row>,
    /// Group letter to title.
    pub groups: BTreeMap<char, String>,
    pub errors: Vec<String>,
}

/// Reads requirements and tests of the repository. Without reports every citing test counts as passed.
pub fn of(
    repository: &Repository,
    workspace: &Workspace,
    reports: Option<&Reports>,
) -> Result<Coverage> {
    let requirements = Requirements::parse(
        &repository.read("tests/requirements.md")?,
        &repository.read("tests/pending.txt")?,
        &repository.read("tests/reviewed.md")?,
    )?;
    let rust = [
        repository.files("crates", "rs")?,
        repository.files("tests", "rs")?,
    ]
    .concat();
    let mut tests = solidity_tests(&repository.files("contracts/test", "sol")?)?;
    tests.extend(rust_tests(&rust, workspace)?);
    Ok(check(&requirements, &tests, reports))
}

pub fn check(requirements: &Requirements, tests: &[Test], reports: Option<&Reports>) -> Coverage {
    let mut errors = list_errors(requirements);
    let mut proofs: BTreeMap<RequirementId, Vec<String>> = BTreeMap::new();
    let mut missing: BTreeMap<Runner, Vec<String>> = BTreeMap::new();
    for test in tests.iter().filter(|test| !test.ids.is_empty()) {
        let (label, ids) = (test.label(), test.joined_ids());
        for id in test
            .ids
            .iter()
            .filter(|id| requirements.get(**id).is_none())
        {
            errors.push(format!(
                "{label} cites {id}, which is not in tests/requirements.md"
            ));
        }
        if test.ids.len() > MAX_CITATIONS {
            errors.push(format!(
                "{label} cites {} requirements ({ids}); the limit is {MAX_CITATIONS}: split the test",
                test.ids.len(),
            ));
        }
        let report = test.runner.report();
        match reports.map_or(Outcome::Passed, |reports| reports.outcome(test)) {
            Outcome::Passed => {
                for id in &test.ids {
                    proofs.entry(*id).or_default().push(label.clone());
                }
            }
            Outcome::Missing => missing.entry(test.runner).or_default().push(label),
            Outcome::Skipped => {
                errors.push(format!("{label} cites {ids} but was skipped ({report})"))
            }
            Outcome::Failed => errors.push(format!("{label} cites {ids} but failed ({report})")),
        }
    }
    for (runner, labels) in missing {
        errors.push(format!(
            "{} tests that cite requirements are not in {}: run `{}` (first: {})",
            labels.len(),
            runner.report(),
            runner.command(),
            labels[0],
        ));
    }
    let mut rows = Vec::new();
    for requirement in &requirements.rows {
        let id = requirement.id;
        let tests = proofs.remove(&id).unwrap_or_default();
        let is_pending = requirements.pending.contains(&id);
        let review = requirements.reviews.iter().find(|(of, _)| *of == id);
        let review = review.map(|(_, review)| *review);
        let state = match review {
            _ if !tests.is_empty() => State::Proved,
            _ if is_pending => State::Pending,
            Some(Review::Declined) => State::Declined,
            Some(Review::Reviewed) => State::Reviewed,
            None => State::Open,
        };
        errors.extend(contradictions(
            requirement,
            state,
            tests.first(),
            is_pending,
            review,
        ));
        rows.push(Row {
            id,
            level: requirement.level,
            state,
            text: requirement.text.clone(),
            tests,
        });
    }
    Coverage {
        rows,
        groups: requirements.groups.clone(),
        errors,
    }
}

/// Ids in `pending.txt` and `reviewed.md` that do not exist or are listed twice.
fn list_errors(requirements: &Requirements) -> Vec<String> {
    let reviewed = requirements.reviews.iter().map(|(id, _)| *id).collect();
    let lists = [
        ("pending.txt", &requirements.pending),
        ("reviewed.md", &reviewed),
    ];
    let mut errors = Vec::new();
    for (list, ids) in lists {
        let mut seen = BTreeSet::new();
        for id in ids {
            if requirements.get(*id).is_none() {
                errors.push(format!(
                    "tests/{list} lists {id}, which is not in tests/requirements.md"
                ));
            }
            if !seen.insert(id) {
                errors.push(format!("tests/{list} lists {id} twice"));
            }
        }
    }
    errors
}

fn contradictions(
    Requirement { id, level, .. }: &Requirement,
    state: State,
    test: Option<&String>,
    is_pending: bool,
    review: Option<Review>,
) -> Vec<String> {
    let mut errors = Vec::new();
    if state == State::Open {
        errors.push(format!(
            "{id} ({level}) is not cited by a test that passed, nor listed in tests/pending.txt or tests/reviewed.md"
        ));
    }
    if let Some(test) = test {
        if is_pending {
            errors.push(format!(
                "{id} is proved by {test}: remove it from tests/pending.txt"
            ));
        }
        if review == Some(Review::Declined) {
            errors.push(format!(
                "{id} is proved by {test} but declined in tests/reviewed.md"
            ));
        }
    }
    if is_pending && review.is_some() {
        errors.push(format!(
            "{id} is in tests/pending.txt and in tests/reviewed.md"
        ));
    }
    if review == Some(Review::Declined) && !level.may_be_declined() {
        errors.push(format!(
            "{id} ({level}) is declined in tests/reviewed.md: only SHOULD and MAY can be declined"
        ));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::{requirements::tests::SMALL, *};

    const PENDING: &str = "A-02\nT-01\n";
    const REVIEWED: &str = "| B-01 | reviewed | why |\n| B-02 | declined | why |\n";

    fn errors(pending: &str, reviewed: &str, citations: &[&str], forge: Option<&str>) -> String {
        let requirements = Requirements::parse(SMALL, pending, reviewed).unwrap();
        let test = |(index, cites): (usize, &&str)| Test {
            path: "a.t.sol".into(),
            name: format!("test_{index}"),
            ids: RequirementId::find_all(cites),
            runner: Runner::Forge,
            cases: vec![Case::new("a.t.sol:ATest", &format!("test_{index}"))],
        };
        let tests: Vec<_> = citations.iter().enumerate().map(test).collect();
        let reports = forge.map(|cases| Reports {
            forge: Report::parse(&format!(
                r#"<testsuites><testsuite name="a.t.sol:ATest">{cases}</testsuite></testsuites>"#
            ))
            .unwrap(),
            nextest: Report::default(),
        });
        check(&requirements, &tests, reports.as_ref())
            .errors
            .join("\n")
    }

    #[test]
    fn accepts_requirements_that_are_proved_pending_or_reviewed() {
        assert_eq!(errors(PENDING, REVIEWED, &["A-01"], None), "");
    }

    #[test]
    fn reports_an_open_requirement() {
        let open = errors(PENDING, REVIEWED, &[], None);
        assert!(open.starts_with("A-01 (MUST) is not cited"), "{open}");
    }

    #[test]
    fn reports_contradictions() {
        for (pending, reviewed, cites, expected) in [
            (
                "A-01\nA-02\nT-01",
                REVIEWED,
                "A-01",
                "remove it from tests/pending.txt",
            ),
            (
                PENDING,
                REVIEWED,
                "A-01 B-02",
                "proved by a.t.sol::test_0 but declined",
            ),
            (
                "A-02\nT-01\nB-01",
                REVIEWED,
                "A-01",
                "B-01 is in tests/pending.txt and in",
            ),
            (
                "T-01",
                "| A-02 | declined | why |\n| B-01 | reviewed | why |",
                "A-01 B-02",
                "only SHOULD and MAY",
            ),
            (
                "A-02\nT-01..T-02",
                REVIEWED,
                "A-01",
                "pending.txt lists T-02, which is not",
            ),
            (
                "A-02\nA-02\nT-01",
                REVIEWED,
                "A-01",
                "pending.txt lists A-02 twice",
            ),
            (
                PENDING,
                REVIEWED,
                "A-01 C-09",
                "cites C-09, which is not in",
            ),
            ("", "", "A-01 A-02 B-01 B-02 T-01", "cites 5 requirements"),
        ] {
            let errors = errors(pending, reviewed, &[cites], None);
            assert_eq!(errors.lines().count(), 1, "{errors}");
            assert!(errors.contains(expected), "{errors}");
        }
    }

    #[test]
    fn counts_only_tests_that_passed_when_there_are_reports() {
        let run = |cases| errors(PENDING, REVIEWED, &["A-01"], Some(cases));
        assert_eq!(run(r#"<testcase name="test_0()"/>"#), "");
        for (cases, expected) in [
            (
                r#"<testcase name="test_0()"><failure/></testcase>"#,
                "cites A-01 but failed (target/reports/sol.xml)",
            ),
            (
                r#"<testcase name="test_0()"><skipped/></testcase>"#,
                "but was skipped",
            ),
            (
                "",
                "1 tests that cite requirements are not in target/reports/sol.xml: run `make test-sol`",
            ),
        ] {
            let errors = run(cases);
            assert!(errors.contains(expected), "{errors}");
            assert!(
                errors.contains("A-01 (MUST) is not cited by a test that passed"),
                "{errors}"
            );
        }
    }
}
