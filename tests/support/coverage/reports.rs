//! JUnit reports of forge and nextest.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use eyre::{Result, WrapErr, ensure};
use serde::{Deserialize, de::IgnoredAny};

use crate::repository::Repository;

/// Of several runs of one test, the greatest outcome counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Skipped,
    Passed,
    Failed,
}

/// Outcomes by suite (`path:Contract` in forge's report, package and test target in nextest's) and test name.
#[derive(Clone, Debug, Default)]
pub struct Report(BTreeMap<(String, String), Outcome>);

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
    /// Reads both reports. Fails if one is missing or older than a source file.
    pub fn read(repository: &Repository) -> Result<Self> {
        let sources = |folders: &[&str], extension| {
            let files = folders
                .iter()
                .map(|folder| repository.files(folder, extension));
            let files = files.collect::<Result<Vec<_>>>()?.concat();
            let paths = files.iter().map(|file| repository.root().join(&file.path));
            Ok::<_, eyre::Report>(paths.collect::<Vec<_>>())
        };
        let mut report = Self::default();
        report.add_file(
            &repository.root().join("target/reports/sol.xml"),
            "make test-sol",
            &sources(&["contracts/src", "contracts/test"], "sol")?,
        )?;
        report.add_file(
            // nextest's store is below the workspace root, whatever CARGO_TARGET_DIR is.
            &repository.root().join("target/nextest/default/junit.xml"),
            "make test-rust",
            &sources(&["crates", "tests/properties", "tests/differential"], "rs")?,
        )?;
        Ok(report)
    }

    pub(super) fn add_file(
        &mut self,
        path: &Path,
        command: &str,
        sources: &[PathBuf],
    ) -> Result<()> {
        let name = path.display();
        let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
        let written =
            modified(path).wrap_err_with(|| format!("{name} is missing: run `{command}`"))?;
        for source in sources {
            let source_name = source.display();
            ensure!(
                modified(source)? <= written,
                "{name} is older than {source_name}: run `{command}`"
            );
        }
        self.add(&fs::read_to_string(path)?)
            .wrap_err_with(|| format!("{name} is not a JUnit report: run `{command}`"))
    }

    pub fn add(&mut self, xml: &str) -> Result<()> {
        for suite in quick_xml::de::from_str::<TestSuites>(xml)?.testsuite {
            // nextest names the tests of a binary `package::bin/name`.
            let suite_name = suite.name.split("::bin/").next().unwrap_or_default();
            for case in suite.testcase {
                let outcome = if case.failure.is_some() || case.error.is_some() {
                    Outcome::Failed
                } else if case.skipped.is_some() {
                    Outcome::Skipped
                } else {
                    Outcome::Passed
                };
                // forge appends the parameter types.
                let name = case.name.split('(').next().unwrap_or_default();
                let key = (suite_name.to_owned(), name.to_owned());
                let greatest = self.0.entry(key).or_insert(outcome);
                *greatest = outcome.max(*greatest);
            }
        }
        Ok(())
    }

    /// None if no case is in the report.
    pub fn outcome(&self, cases: &[(String, String)]) -> Option<Outcome> {
        cases
            .iter()
            .filter_map(|case| self.0.get(case))
            .max()
            .copied()
    }
}
