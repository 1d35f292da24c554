//! The judgement: every requirement gets one state, and every contradiction is a fault.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    Fault, Level, MAX_CITATIONS, Matrix, RequirementId,
    catalogue::Test,
    report::{Outcome, Report, Runner},
    reviewed::{Review, ReviewVerdict},
};

/// Everything that is said about the requirements.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The requirements.
    pub matrix: Matrix,
    /// Rows said to be not due.
    pub pending: Vec<RequirementId>,
    /// Rows settled by a reader.
    pub reviews: Vec<Review>,
    /// Tests and what they cite.
    pub tests: Vec<Test>,
}

/// What the judgement rests on.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A test that stands in the sources counts.
    Sources,
    /// A test counts if its runner's report says that it passed; a runner without a report is a fault.
    Reports(BTreeMap<Runner, Report>),
}

impl Evidence {
    /// One line on what the judgement rests on.
    pub fn basis(&self) -> &'static str {
        match self {
            Self::Sources => {
                "judged by the sources alone; `make test` also asks the reports whether the tests ran"
            }
            Self::Reports(_) => "judged by the reports of the last run",
        }
    }
}

/// How a requirement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Cited by a test that counts.
    Proved,
    /// Not due yet.
    Pending,
    /// Holds by a reader's reasoning.
    Reviewed,
    /// Not followed, with a reason.
    Declined,
    /// None of these: a fault.
    Open,
}

/// One requirement and how it stands.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Its number.
    pub id: RequirementId,
    /// How strongly it is meant.
    pub level: Level,
    /// How it stands.
    pub state: State,
    /// What it says.
    pub text: String,
    /// The tests that prove it, as `path::name`.
    pub tests: Vec<String>,
}

/// The whole judgement.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// One per requirement, in the order of the matrix.
    pub verdicts: Vec<Verdict>,
    /// Titles of the groups.
    pub titles: BTreeMap<char, String>,
    /// Why the suite fails; empty when it passes.
    pub faults: Vec<Fault>,
}

impl Coverage {
    /// Weighs the claims against each other and against the evidence.
    pub fn judge(claims: &Claims, evidence: &Evidence) -> Self {
        let mut faults = misnamed(claims);
        if let Evidence::Reports(reports) = evidence {
            let missing = [Runner::Forge, Runner::Nextest]
                .into_iter()
                .filter(|runner| !reports.contains_key(runner));
            faults.extend(missing.map(|runner| Fault::ReportMissing { runner }));
        }
        let mut proofs: BTreeMap<RequirementId, Vec<String>> = BTreeMap::new();
        for test in claims.tests.iter().filter(|test| !test.cites.is_empty()) {
            let label = test.label();
            faults.extend(overreach(&claims.matrix, test));
            match failure(test, evidence) {
                Some(fault) => faults.push(fault),
                None => {
                    for id in &test.cites {
                        proofs.entry(*id).or_default().push(label.clone());
                    }
                }
            }
        }
        let pending: BTreeSet<_> = claims.pending.iter().copied().collect();
        let mut verdicts = Vec::new();
        for row in &claims.matrix.rows {
            let tests = proofs.remove(&row.id).unwrap_or_default();
            let review = claims.reviews.iter().find(|review| review.id == row.id);
            let state = match (tests.is_empty(), pending.contains(&row.id), review) {
                (false, ..) => State::Proved,
                (_, true, _) => State::Pending,
                (.., Some(review)) if review.verdict == ReviewVerdict::Declined => State::Declined,
                (.., Some(_)) => State::Reviewed,
                _ => State::Open,
            };
            let (id, level) = (row.id, row.level);
            faults.extend(contradictions(
                id,
                level,
                state,
                tests.first(),
                &pending,
                review,
            ));
            verdicts.push(Verdict {
                id,
                level,
                state,
                text: row.text.clone(),
                tests,
            });
        }
        Self {
            verdicts,
            titles: claims.matrix.titles.clone(),
            faults,
        }
    }
}

/// Rows named twice in a list, or named though they do not exist.
fn misnamed(claims: &Claims) -> Vec<Fault> {
    let reviewed = claims.reviews.iter().map(|review| review.id).collect();
    let mut faults = Vec::new();
    for (list, ids) in [("pending.txt", &claims.pending), ("reviewed.md", &reviewed)] {
        let mut seen = BTreeSet::new();
        for id in ids.iter().copied() {
            if claims.matrix.row(id).is_none() {
                faults.push(Fault::UnknownInList { id, list });
            }
            if !seen.insert(id) {
                faults.push(Fault::NamedTwice { id, list });
            }
        }
    }
    faults
}

/// A test that cites what does not exist, or too much.
fn overreach(matrix: &Matrix, test: &Test) -> Vec<Fault> {
    let unknown = test.cites.iter().filter(|id| matrix.row(**id).is_none());
    let mut faults: Vec<_> = unknown
        .map(|id| Fault::UnknownInTest {
            id: *id,
            test: test.label(),
        })
        .collect();
    if test.cites.len() > MAX_CITATIONS {
        let ids = test.cites.iter().copied().collect();
        faults.push(Fault::TooManyCitations {
            test: test.label(),
            ids,
        });
    }
    faults
}

/// Why a citing test does not count. A whole report that is missing has been told once already.
fn failure(test: &Test, evidence: &Evidence) -> Option<Fault> {
    let Evidence::Reports(reports) = evidence else {
        return None;
    };
    let outcome = reports.get(&test.runner)?.outcome(&test.cases);
    (outcome != Outcome::Passed).then(|| Fault::NotPassed {
        test: test.label(),
        ids: test.cites.iter().copied().collect(),
        outcome,
        runner: test.runner,
    })
}

fn contradictions(
    id: RequirementId,
    level: Level,
    state: State,
    proof: Option<&String>,
    pending: &BTreeSet<RequirementId>,
    review: Option<&Review>,
) -> Vec<Fault> {
    let is_pending = pending.contains(&id);
    let is_declined = review.is_some_and(|review| review.verdict == ReviewVerdict::Declined);
    let mut faults = Vec::new();
    if state == State::Open {
        faults.push(Fault::Unaccounted { id, level });
    }
    if let Some(test) = proof {
        if is_pending {
            faults.push(Fault::ProvedAndPending {
                id,
                test: test.clone(),
            });
        }
        if is_declined {
            faults.push(Fault::ProvedAndDeclined {
                id,
                test: test.clone(),
            });
        }
    }
    if is_pending && review.is_some() {
        faults.push(Fault::PendingAndReviewed { id });
    }
    if is_declined && !level.may_be_declined() {
        faults.push(Fault::DeclinedButBinding { id, level });
    }
    faults
}

#[cfg(test)]
mod tests;
