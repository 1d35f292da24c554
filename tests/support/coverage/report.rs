//! What ran: the JUnit reports of forge and nextest.

use std::collections::BTreeMap;

use eyre::{ContextCompat, Result};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use serde::Serialize;

/// Who runs a test, and so whose report tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// Solidity tests.
    Forge,
    /// Rust tests.
    Nextest,
}

impl Runner {
    /// Where `make test` leaves its report, from the repository's root.
    pub fn report_path(self) -> &'static str {
        match self {
            Self::Forge => "target/reports/sol.xml",
            Self::Nextest => "target/nextest/default/junit.xml",
        }
    }

    /// What writes that report.
    pub fn command(self) -> &'static str {
        match self {
            Self::Forge => "make test-sol",
            Self::Nextest => "make test-rust",
        }
    }
}

/// What became of a test. Of several runs of one body the greatest counts: a failure, else a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The report does not know it.
    Missing,
    /// It was passed over.
    Skipped,
    /// It ran and held.
    Passed,
    /// It ran and did not hold.
    Failed,
}

/// A test as a report names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// `path:Contract` for forge, the binary's id for nextest.
    pub suite: String,
    /// Function name for forge, module path for nextest.
    pub name: String,
}

/// One report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    outcomes: BTreeMap<Case, Outcome>,
}

impl Report {
    /// Reads a JUnit document.
    pub fn parse(xml: &str) -> Result<Self> {
        let mut reader = Reader::from_str(xml);
        let mut report = Self::default();
        let mut suite = String::new();
        let mut case = None;
        loop {
            match reader.read_event()? {
                Event::Eof => return Ok(report),
                Event::Start(tag) => match tag.name().as_ref() {
                    b"testsuite" => suite = name(&tag)?,
                    b"testcase" => case = Some((Case::new(&suite, &name(&tag)?), Outcome::Passed)),
                    element => demote(case.as_mut(), element),
                },
                Event::Empty(tag) => match tag.name().as_ref() {
                    b"testcase" => report.add(Case::new(&suite, &name(&tag)?), Outcome::Passed),
                    element => demote(case.as_mut(), element),
                },
                Event::End(tag) if tag.name().as_ref() == b"testcase" => {
                    let (case, outcome) = case.take().wrap_err("a test case ends unopened")?;
                    report.add(case, outcome);
                }
                _ => {}
            }
        }
    }

    /// What became of a test that may stand under any of these names.
    pub fn outcome(&self, cases: &[Case]) -> Outcome {
        let known = cases.iter().filter_map(|case| self.outcomes.get(case));
        known.max().copied().unwrap_or(Outcome::Missing)
    }

    /// Overloads share a name; one that did not hold speaks for all of them.
    fn add(&mut self, case: Case, outcome: Outcome) {
        let worst = self.outcomes.entry(case).or_insert(outcome);
        *worst = match (*worst, outcome) {
            (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
            (before, now) => before.min(now),
        };
    }
}

impl Case {
    /// Forge names a case with its parameter types, which the sources' names do not have.
    pub fn new(suite: &str, name: &str) -> Self {
        let name = name.split('(').next().unwrap_or_default();
        Self {
            suite: suite.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// A flaky test that held in the end (`flakyFailure`) has passed.
fn demote(case: Option<&mut (Case, Outcome)>, element: &[u8]) {
    if let Some((_, outcome)) = case {
        match element {
            b"failure" | b"error" => *outcome = Outcome::Failed,
            b"skipped" => *outcome = Outcome::Skipped,
            _ => {}
        }
    }
}

fn name(tag: &BytesStart<'_>) -> Result<String> {
    let attribute = tag
        .try_get_attribute("name")?
        .wrap_err("a test suite or case has no name")?;
    Ok(attribute.unescape_value()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As forge 1.7.1 writes it.
    const FORGE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Test run" tests="4" failures="1" errors="0">
    <testsuite name="contracts/test/unit/a.t.sol:ATest" tests="4" disabled="1" failures="1">
        <testcase name="testFuzz_X(uint256)" time="0.002">
            <system-out>[PASS] testFuzz_X(uint256) (runs: 256)</system-out>
        </testcase>
        <testcase name="test_Fails()" time="0.000">
            <failure message="a &lt; b"/>
            <system-out>[FAIL: a &lt; b] test_Fails()</system-out>
        </testcase>
        <testcase name="test_Over()"><failure message="x"/></testcase>
        <testcase name="test_Over(uint8)"></testcase>
        <testcase name="test_Skips()" time="0.000">
            <skipped message="why"/>
        </testcase>
    </testsuite>
</testsuites>"#;

    /// As nextest 0.9.143 writes it.
    const NEXTEST: &str = r#"<testsuites name="nextest-run">
    <testsuite name="atr-ids" tests="1"><testcase name="slug::tests::passes" classname="atr-ids"/></testsuite>
    <testsuite name="atr-ids::it" tests="2">
        <testcase name="x::fails" classname="atr-ids::it"><failure type="t">&lt;a&gt;</failure></testcase>
        <testcase name="x::flaky" classname="atr-ids::it"><flakyFailure type="t"/></testcase>
    </testsuite>
</testsuites>"#;

    fn outcome(xml: &str, suite: &str, name: &str) -> Outcome {
        Report::parse(xml)
            .unwrap()
            .outcome(&[Case::new(suite, name)])
    }

    #[test]
    fn forge_cases_are_found_by_contract_and_bare_name() {
        let suite = "contracts/test/unit/a.t.sol:ATest";
        assert_eq!(outcome(FORGE, suite, "testFuzz_X"), Outcome::Passed);
        assert_eq!(outcome(FORGE, suite, "test_Fails"), Outcome::Failed);
        assert_eq!(outcome(FORGE, suite, "test_Skips"), Outcome::Skipped);
        assert_eq!(outcome(FORGE, suite, "test_Gone"), Outcome::Missing);
        assert_eq!(
            outcome(FORGE, "contracts/test/unit/b.t.sol:ATest", "testFuzz_X"),
            Outcome::Missing
        );
    }

    #[test]
    fn an_overload_that_failed_is_not_hidden_by_one_that_passed() {
        assert_eq!(
            outcome(FORGE, "contracts/test/unit/a.t.sol:ATest", "test_Over"),
            Outcome::Failed
        );
    }

    #[test]
    fn nextest_cases_are_found_by_binary_and_module_path() {
        assert_eq!(
            outcome(NEXTEST, "atr-ids", "slug::tests::passes"),
            Outcome::Passed
        );
        assert_eq!(outcome(NEXTEST, "atr-ids::it", "x::fails"), Outcome::Failed);
        assert_eq!(outcome(NEXTEST, "atr-ids::it", "x::flaky"), Outcome::Passed);
        assert_eq!(
            outcome(NEXTEST, "atr-ids::it", "slug::tests::passes"),
            Outcome::Missing
        );
    }

    #[test]
    fn one_failing_child_of_a_shared_test_fails_it() {
        let report = Report::parse(FORGE).unwrap();
        let suite = "contracts/test/unit/a.t.sol:ATest";
        let both = [
            Case::new(suite, "testFuzz_X"),
            Case::new(suite, "test_Fails"),
        ];
        assert_eq!(report.outcome(&both), Outcome::Failed);
    }

    #[test]
    fn a_document_cut_short_is_refused() {
        assert!(Report::parse("<testsuites><testsuite name=\"a\"></testsuites>").is_err());
    }
}
