//! JUnit reports of forge and nextest.

use std::{collections::BTreeMap, fs, time::SystemTime};

use eyre::{Result, WrapErr, bail};
use quick_xml::de;
use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::Test;
use crate::repository::Repository;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    Forge,
    Nextest,
}

impl Runner {
    /// Path of the JUnit report from the repository root.
    pub fn report(self) -> &'static str {
        match self {
            Self::Forge => "target/reports/sol.xml",
            Self::Nextest => "target/nextest/default/junit.xml",
        }
    }

    /// The command that writes the report.
    pub fn command(self) -> &'static str {
        match self {
            Self::Forge => "make test-sol",
            Self::Nextest => "make test-rust",
        }
    }

    /// Sources whose change makes a report stale: folders and extension.
    fn sources(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Forge => (&["contracts/src", "contracts/test"], "sol"),
            Self::Nextest => (&["crates", "tests/properties", "tests/differential"], "rs"),
        }
    }
}

/// Of several runs of one test, the greatest outcome counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Not in the report.
    Missing,
    Skipped,
    Passed,
    Failed,
}

/// A test as a report names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// `path:Contract` in forge's report, the binary id in nextest's.
    pub suite: String,
    /// Function name in forge's report, module path in nextest's.
    pub name: String,
}

impl Case {
    /// Removes the parameter types that forge appends to the name.
    pub fn new(suite: &str, name: &str) -> Self {
        let name = name.split('(').next().unwrap_or_default();
        Self {
            suite: suite.to_owned(),
            name: name.to_owned(),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report(BTreeMap<Case, Outcome>);

#[derive(Deserialize)]
struct TestSuites {
    #[serde(default)]
    testsuite: Vec<TestSuite>,
}

#[derive(Deserialize)]
struct TestSuite {
    #[serde(rename = "@name")]
    name: String,
    #[serde(default)]
    testcase: Vec<TestCase>,
}

#[derive(Deserialize)]
struct TestCase {
    #[serde(rename = "@name")]
    name: String,
    failure: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    skipped: Option<IgnoredAny>,
}

impl Report {
    pub fn parse(xml: &str) -> Result<Self> {
        let mut outcomes: BTreeMap<Case, Outcome> = BTreeMap::new();
        for suite in de::from_str::<TestSuites>(xml)?.testsuite {
            for case in suite.testcase {
                let outcome = match case {
                    TestCase {
                        failure: Some(_), ..
                    }
                    | TestCase { error: Some(_), .. } => Outcome::Failed,
                    TestCase {
                        skipped: Some(_), ..
                    } => Outcome::Skipped,
                    _ => Outcome::Passed,
                };
                // Overloads share a name: a failure counts, then a skip.
                let worst = outcomes
                    .entry(Case::new(&suite.name, &case.name))
                    .or_insert(outcome);
                *worst = match (*worst, outcome) {
                    (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
                    (before, now) => before.min(now),
                };
            }
        }
        Ok(Self(outcomes))
    }

    fn read(repository: &Repository, runner: Runner) -> Result<Self> {
        let (path, command) = (runner.report(), runner.command());
        let file = repository.root().join(path);
        let Ok(written) = fs::metadata(&file).and_then(|metadata| metadata.modified()) else {
            bail!("{path} is missing: run `{command}`");
        };
        let (folders, extension) = runner.sources();
        for folder in folders {
            for source in repository.files(folder, extension)? {
                if modified(repository, &source.path)? > written {
                    bail!("{path} is older than {}: run `{command}`", source.path);
                }
            }
        }
        Self::parse(&repository.read(path)?).wrap_err(path)
    }

    fn outcome(&self, cases: &[Case]) -> Outcome {
        let outcomes = cases.iter().filter_map(|case| self.0.get(case));
        outcomes.max().copied().unwrap_or(Outcome::Missing)
    }
}

fn modified(repository: &Repository, path: &str) -> Result<SystemTime> {
    Ok(fs::metadata(repository.root().join(path))?.modified()?)
}

#[derive(Clone, Debug)]
pub struct Reports {
    pub forge: Report,
    pub nextest: Report,
}

impl Reports {
    /// Fails if a report is missing, or older than a source file.
    pub fn read(repository: &Repository) -> Result<Self> {
        Ok(Self {
            forge: Report::read(repository, Runner::Forge)?,
            nextest: Report::read(repository, Runner::Nextest)?,
        })
    }

    pub fn outcome(&self, test: &Test) -> Outcome {
        match test.runner {
            Runner::Forge => self.forge.outcome(&test.cases),
            Runner::Nextest => self.nextest.outcome(&test.cases),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As written by forge 1.7.1.
    const FORGE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Test run" tests="4" failures="1" errors="0">
    <testsuite name="a.t.sol:ATest" tests="4" disabled="1" failures="1">
        <testcase name="testFuzz_X(uint256)" time="0.002">
            <system-out>[PASS] testFuzz_X(uint256) (runs: 256)</system-out>
        </testcase>
        <testcase name="test_Fails()" time="0.000">
            <failure message="a &lt; b"/>
            <system-out>[FAIL: a &lt; b] test_Fails()</system-out>
        </testcase>
        <testcase name="test_Overload()"><failure message="x"/></testcase>
        <testcase name="test_Overload(uint8)"></testcase>
        <testcase name="test_Skips()" time="0.000">
            <skipped message="why"/>
        </testcase>
    </testsuite>
</testsuites>"#;

    /// As written by nextest 0.9.143.
    const NEXTEST: &str = r#"<testsuites name="nextest-run">
    <testsuite name="atr-ids" tests="1"><testcase name="slug::tests::passes" classname="atr-ids"/></testsuite>
    <testsuite name="atr-ids::it" tests="2">
        <testcase name="x::fails" classname="atr-ids::it"><failure type="t">&lt;a&gt;</failure></testcase>
        <testcase name="x::flaky" classname="atr-ids::it"><flakyFailure type="t"/></testcase>
    </testsuite>
</testsuites>"#;

    fn outcome(xml: &str, suite: &str, names: &[&str]) -> Outcome {
        let cases: Vec<_> = names.iter().map(|name| Case::new(suite, name)).collect();
        Report::parse(xml).unwrap().outcome(&cases)
    }

    #[test]
    fn finds_forge_tests_by_contract_and_function_name() {
        for (name, expected) in [
            ("testFuzz_X", Outcome::Passed),
            ("test_Fails", Outcome::Failed),
            ("test_Overload", Outcome::Failed),
            ("test_Skips", Outcome::Skipped),
            ("test_Missing", Outcome::Missing),
        ] {
            assert_eq!(outcome(FORGE, "a.t.sol:ATest", &[name]), expected, "{name}");
        }
        assert_eq!(
            outcome(FORGE, "b.t.sol:ATest", &["testFuzz_X"]),
            Outcome::Missing
        );
    }

    #[test]
    fn finds_rust_tests_by_binary_and_module_path() {
        assert_eq!(
            outcome(NEXTEST, "atr-ids", &["slug::tests::passes"]),
            Outcome::Passed
        );
        assert_eq!(
            outcome(NEXTEST, "atr-ids::it", &["x::fails"]),
            Outcome::Failed
        );
        assert_eq!(
            outcome(NEXTEST, "atr-ids::it", &["x::flaky"]),
            Outcome::Passed
        );
    }

    #[test]
    fn a_shared_test_fails_if_it_fails_in_one_contract() {
        let names = ["testFuzz_X", "test_Fails"];
        assert_eq!(outcome(FORGE, "a.t.sol:ATest", &names), Outcome::Failed);
    }

    #[test]
    fn rejects_a_truncated_report() {
        assert!(Report::parse("<testsuites><testsuite name=\"a\"></testsuites>").is_err());
    }
}
