//! Joins requirements, tests and reports, and prints the result.

use std::collections::{BTreeMap, BTreeSet};

use eyre::Result;
use serde::Serialize;
use serde_json::json;

use super::{
    Report, Requirement, Requirements, Test,
    reports::Outcome,
    sources::{rust_tests, solidity_tests},
};
use crate::repository::Repository;

/// A test may cite at most this many requirements.
const MAX_CITATIONS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A test cites it; with a report, the test also passed.
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

impl State {
    const ALL: [Self; 5] = [
        Self::Proved,
        Self::Pending,
        Self::Reviewed,
        Self::Declined,
        Self::Open,
    ];

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[derive(Clone, Debug)]
pub struct Coverage {
    pub requirements: Requirements,
    pub errors: Vec<String>,
}

impl Coverage {
    /// Reads requirements and tests of the repository. Without a report every citing test counts as passed.
    pub fn read(repository: &Repository, report: Option<&Report>) -> Result<Self> {
        let requirements = Requirements::parse(
            &repository.read("tests/requirements.md")?,
            &repository.read("tests/pending.txt")?,
            &repository.read("tests/reviewed.md")?,
        )?;
        let mut tests = solidity_tests(&repository.files("contracts/test", "sol")?)?;
        for folder in ["crates", "tests"] {
            tests.extend(rust_tests(&repository.files(folder, "rs")?)?);
        }
        Ok(Self::new(requirements, &tests, report))
    }

    pub fn new(mut requirements: Requirements, tests: &[Test], report: Option<&Report>) -> Self {
        let mut errors = list_errors(&requirements);
        let mut proofs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for Test { label, ids, cases } in tests.iter().filter(|test| !test.ids.is_empty()) {
            for id in ids.iter().filter(|id| !requirements.contains(id)) {
                errors.push(format!(
                    "{label} cites {id}, which is not in tests/requirements.md"
                ));
            }
            let count = ids.len();
            let cited = Vec::from_iter(ids.iter().map(String::as_str)).join(", ");
            if count > MAX_CITATIONS {
                errors.push(format!(
                    "{label} cites {count} requirements ({cited}); the limit is {MAX_CITATIONS}: split the test"
                ));
            }
            match report.map_or(Some(Outcome::Passed), |report| report.outcome(cases)) {
                Some(Outcome::Passed) => {
                    for id in ids {
                        proofs.entry(id).or_default().push(label.clone());
                    }
                }
                Some(Outcome::Skipped) => {
                    errors.push(format!("{label} cites {cited} but was skipped"));
                }
                Some(Outcome::Failed) => {
                    errors.push(format!("{label} cites {cited} but failed"));
                }
                None => errors.push(format!(
                    "{label} cites {cited} but is not in the test report: run `make test`"
                )),
            }
        }
        let Requirements {
            rows,
            pending,
            reviews,
            ..
        } = &mut requirements;
        for Requirement {
            id,
            level,
            state,
            tests,
            ..
        } in rows
        {
            *tests = proofs.remove(id.as_str()).unwrap_or_default();
            let mut states = Vec::new();
            states.extend((!tests.is_empty()).then_some(State::Proved));
            states.extend(pending.contains(id).then_some(State::Pending));
            let review = reviews.iter().find(|(reviewed, _)| reviewed == id);
            states.extend(review.map(|(_, state)| *state));
            *state = states.first().copied().unwrap_or(State::Open);
            match states.as_slice() {
                [State::Declined] if !matches!(level.as_str(), "SHOULD" | "MAY") => errors.push(
                    format!("{id} ({level}) is declined: only SHOULD and MAY can be declined"),
                ),
                [_] => {}
                [] => errors.push(format!(
                    "{id} ({level}) is not cited by a test that passed, nor listed in tests/pending.txt or tests/reviewed.md"
                )),
                all => {
                    let all = Vec::from_iter(all.iter().map(|state| state.name())).join(" and ");
                    errors.push(format!("{id} is {all}, not only one of them {tests:?}"));
                }
            }
        }
        Self {
            requirements,
            errors,
        }
    }

    /// Requirements by state, of one group or of all.
    fn counts(&self, group: Option<char>) -> BTreeMap<State, usize> {
        let rows = self
            .requirements
            .rows
            .iter()
            .filter(|row| group.is_none_or(|group| row.id.starts_with(group)));
        let mut counts = BTreeMap::from(State::ALL.map(|state| (state, 0)));
        for row in rows {
            *counts.entry(row.state).or_default() += 1;
        }
        counts
    }

    /// Groups, then requirements with the tests that prove them, then errors.
    pub fn table(&self) -> String {
        let line = |title: &str, cells: [String; 5]| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>8}")).collect();
            format!("{title:<46}{cells}\n")
        };
        let counts = |group| {
            let counts = self.counts(group);
            State::ALL.map(|state| counts[&state].to_string())
        };
        let mut text = line("group", State::ALL.map(State::name));
        for (group, title) in &self.requirements.groups {
            text += &line(title, counts(Some(*group)));
        }
        text += &line("total", counts(None));
        text += "\nid    level   state     proved by\n";
        for Requirement {
            id,
            level,
            state,
            tests,
            ..
        } in &self.requirements.rows
        {
            let tests = tests.join(&format!("\n{:24}", ""));
            let row = format!("{id:<5} {level:<7} {:<9} {tests}", state.name());
            text += &format!("{}\n", row.trim_end());
        }
        format!("{text}\n{}", self.summary())
    }

    /// One line, then the errors.
    pub fn summary(&self) -> String {
        let counts = self.counts(None).into_iter();
        let counts: String = counts
            .map(|(state, count)| format!(", {count} {}", state.name()))
            .collect();
        let errors: String = self
            .errors
            .iter()
            .map(|error| format!("- {error}\n"))
            .collect();
        format!(
            "{} requirements{counts}; {} errors\n{errors}",
            self.requirements.rows.len(),
            self.errors.len()
        )
    }

    pub fn json(&self) -> String {
        let groups = self
            .requirements
            .groups
            .keys()
            .map(|group| (*group, self.counts(Some(*group))));
        let document = json!({
            "ok": self.errors.is_empty(),
            "groups": groups.collect::<BTreeMap<_, _>>(),
            "requirements": self.requirements.rows,
            "errors": self.errors,
        });
        format!("{document:#}\n")
    }
}

/// Ids that are listed twice or are not requirements.
fn list_errors(requirements: &Requirements) -> Vec<String> {
    let lists: [(&str, Vec<&String>); 3] = [
        (
            "requirements.md",
            requirements.rows.iter().map(|row| &row.id).collect(),
        ),
        ("pending.txt", requirements.pending.iter().collect()),
        (
            "reviewed.md",
            requirements.reviews.iter().map(|(id, _)| id).collect(),
        ),
    ];
    let mut errors = Vec::new();
    for (list, ids) in lists {
        let mut seen = BTreeSet::new();
        for id in ids {
            if !requirements.contains(id) {
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
