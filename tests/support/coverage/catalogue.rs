//! Every test of the repository, what it cites, and the names a report may give it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    RequirementId,
    report::{Case, Runner},
};
use crate::{
    house::workspace::Target,
    source::{
        SourceFile, rust,
        solidity::{self, Contract},
    },
};

/// The rooms of these checks themselves: their made-up inputs cite numbers and prove nothing.
const OWN_ROOMS: [&str; 2] = ["tests/architecture/", "tests/support/"];

/// One test function that its runner would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// File it stands in.
    pub path: String,
    /// Its name, with modules in Rust.
    pub name: String,
    /// Requirements its body cites.
    pub cites: BTreeSet<RequirementId>,
    /// Who runs it.
    pub runner: Runner,
    /// Names it may have in that runner's report.
    pub cases: Vec<Case>,
}

impl Test {
    /// `path::name`, as the coverage table prints it.
    pub fn label(&self) -> String {
        format!("{}::{}", self.path, self.name)
    }
}

/// Tests of Solidity files. One in an abstract contract counts through the concrete contracts that inherit it.
pub fn solidity_tests(files: &[SourceFile]) -> Vec<Test> {
    let contracts: Vec<(&str, Contract)> = files
        .iter()
        .flat_map(|file| {
            solidity::contracts(&file.text)
                .into_iter()
                .map(|found| (file.path.as_str(), found))
        })
        .collect();
    let mut by_name: BTreeMap<&str, Vec<&Contract>> = BTreeMap::new();
    for (_, contract) in &contracts {
        by_name.entry(&contract.name).or_default().push(contract);
    }
    let mut tests = Vec::new();
    for (path, contract) in &contracts {
        for function in contract
            .functions
            .iter()
            .filter(|function| function.is_test())
        {
            let cases: Vec<_> = contracts
                .iter()
                .filter(|(path, runner)| runner.is_concrete && path.ends_with(".t.sol"))
                .filter(|(_, runner)| runs(&by_name, runner, contract, &function.name))
                .map(|(path, runner)| Case::new(&format!("{path}:{}", runner.name), &function.name))
                .collect();
            if !cases.is_empty() {
                tests.push(Test {
                    path: (*path).to_owned(),
                    name: function.name.clone(),
                    cites: cited(&function.prose),
                    runner: Runner::Forge,
                    cases,
                });
            }
        }
    }
    tests
}

/// Whether calling `function` on `contract` runs the body that `owner` declares: nobody on the way overrides it.
fn runs(
    by_name: &BTreeMap<&str, Vec<&Contract>>,
    contract: &Contract,
    owner: &Contract,
    function: &str,
) -> bool {
    let mut waiting = vec![contract];
    let mut seen = Vec::new();
    while let Some(next) = waiting.pop() {
        if std::ptr::eq(next, owner) {
            return true;
        }
        let overrides = next
            .functions
            .iter()
            .any(|declared| declared.name == function);
        if overrides || seen.iter().any(|known| std::ptr::eq(*known, next)) {
            continue;
        }
        seen.push(next);
        let parents = next
            .parents
            .iter()
            .filter_map(|parent| by_name.get(parent.as_str()));
        waiting.extend(parents.flatten());
    }
    false
}

/// Tests of Rust files that belong to a target of the workspace.
pub fn rust_tests(files: &[SourceFile], targets: &[Target]) -> Vec<Test> {
    let mut tests = Vec::new();
    for file in files
        .iter()
        .filter(|file| !OWN_ROOMS.iter().any(|own| file.path.starts_with(own)))
    {
        let homes: Vec<_> = targets
            .iter()
            .filter_map(|target| Some((&target.suite, modules(&target.root, &file.path)?)))
            .collect();
        for test in rust::read(&file.text).tests {
            let inner = [test.modules, vec![test.name]].concat();
            let cases: Vec<_> = homes
                .iter()
                .map(|(suite, modules)| {
                    Case::new(suite, &[modules.clone(), inner.clone()].concat().join("::"))
                })
                .collect();
            if !cases.is_empty() {
                tests.push(Test {
                    path: file.path.clone(),
                    name: inner.join("::"),
                    cites: cited(&test.prose),
                    runner: Runner::Nextest,
                    cases,
                });
            }
        }
    }
    tests
}

/// Modules that lead from a target's root file to another file; none if the file lies outside its folder.
fn modules(root: &str, file: &str) -> Option<Vec<String>> {
    if root == file {
        return Some(Vec::new());
    }
    let folder = &root[..=root.rfind('/')?];
    let mut modules: Vec<_> = file
        .strip_prefix(folder)?
        .strip_suffix(".rs")?
        .split('/')
        .map(str::to_owned)
        .collect();
    modules.pop_if(|last| last == "mod");
    Some(modules)
}

fn cited(prose: &[String]) -> BTreeSet<RequirementId> {
    prose
        .iter()
        .flat_map(|text| RequirementId::cited_in(text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(test: &Test) -> Vec<String> {
        test.cases
            .iter()
            .map(|case| format!("{} {}", case.suite, case.name))
            .collect()
    }

    #[test]
    fn a_shared_test_counts_through_the_concrete_children_that_do_not_override_it() {
        let tests = solidity_tests(&[
            SourceFile::new(
                "t/Shared.sol",
                "abstract contract Shared { function test_S() public virtual { /* A-01 */ } }",
            ),
            SourceFile::new(
                "t/a.t.sol",
                "abstract contract Middle is Shared { }
                 contract ATest is Middle { function test_A() public { /* A-02 A-02 */ } }
                 contract BTest is Shared { function test_S() public override { } }",
            ),
        ]);
        assert_eq!(tests.len(), 3);
        assert_eq!(cases(&tests[0]), ["t/a.t.sol:ATest test_S"]);
        assert_eq!(tests[1].label(), "t/a.t.sol::test_A");
        assert_eq!(tests[1].cites.len(), 1);
        assert!(tests[2].cites.is_empty());
    }

    #[test]
    fn a_test_nobody_deploys_or_outside_a_test_file_is_no_test() {
        let orphan = "abstract contract Shared { function test_S() public { /* A-01 */ } }";
        let mock = "contract Mock is Mock { function test_M() public { /* A-01 */ } }";
        let files = [
            SourceFile::new("t/a.t.sol", orphan),
            SourceFile::new("t/Mock.sol", mock),
        ];
        assert!(solidity_tests(&files).is_empty());
    }

    #[test]
    fn a_rust_test_is_named_by_its_file_and_modules_in_every_target_it_may_belong_to() {
        let targets = [
            Target {
                suite: "atr-x".into(),
                root: "crates/x/src/lib.rs".into(),
            },
            Target {
                suite: "atr-x::bin/x".into(),
                root: "crates/x/src/main.rs".into(),
            },
            Target {
                suite: "atr-x::it".into(),
                root: "crates/x/tests/it/main.rs".into(),
            },
        ];
        let text = "mod tests { #[test] fn holds() { /* A-01 */ } }";
        let found = |path| rust_tests(&[SourceFile::new(path, text)], &targets);
        let inside = found("crates/x/src/rules/mod.rs");
        assert_eq!(
            cases(&inside[0]),
            [
                "atr-x rules::tests::holds",
                "atr-x::bin/x rules::tests::holds"
            ]
        );
        assert_eq!(inside[0].label(), "crates/x/src/rules/mod.rs::tests::holds");
        assert_eq!(
            cases(&found("crates/x/tests/it/main.rs")[0]),
            ["atr-x::it tests::holds"]
        );
        assert!(found("crates/y/src/lib.rs").is_empty());
    }

    #[test]
    fn the_checks_own_made_up_inputs_prove_nothing() {
        let targets = [Target {
            suite: "acceptance".into(),
            root: "tests/support/lib.rs".into(),
        }];
        let file = SourceFile::new("tests/support/lib.rs", "#[test] fn a() { /* A-01 */ }");
        assert!(rust_tests(&[file], &targets).is_empty());
    }
}
