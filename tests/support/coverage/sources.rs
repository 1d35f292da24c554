//! Test functions and the requirement ids in their bodies.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    iter::Peekable,
};

use eyre::{Result, WrapErr, eyre};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree, token_stream::IntoIter};
use solar_parse::{
    Parser,
    ast::{Arena, ContractKind, ItemKind, Visibility},
    interface::{ColorChoice, Session, source_map::FileName},
};

use super::{Case, RequirementId, Runner};
use crate::{repository::SourceFile, workspace::Workspace};

/// The ids in these folders are test data of this check.
const EXCLUDED: [&str; 2] = ["tests/architecture/", "tests/support/"];

#[derive(Clone, Debug)]
pub struct Test {
    pub path: String,
    /// Function name, with inline modules in Rust.
    pub name: String,
    pub ids: BTreeSet<RequirementId>,
    pub runner: Runner,
    /// Names the test may have in its runner's report.
    pub cases: Vec<Case>,
}

impl Test {
    pub fn label(&self) -> String {
        format!("{}::{}", self.path, self.name)
    }

    pub fn joined_ids(&self) -> String {
        let ids: Vec<_> = self.ids.iter().map(ToString::to_string).collect();
        ids.join(", ")
    }
}

struct Contract {
    path: String,
    name: String,
    is_concrete: bool,
    bases: Vec<String>,
    /// Public and external functions whose name starts with `test` or `invariant`, with the ids in their bodies.
    tests: BTreeMap<String, BTreeSet<RequirementId>>,
}

/// A test in a base contract counts through the concrete contracts that inherit it without overriding it.
pub fn solidity_tests(files: &[SourceFile]) -> Result<Vec<Test>> {
    let mut contracts = Vec::new();
    for file in files {
        contracts.extend(parse_solidity(file).wrap_err_with(|| file.path.clone())?);
    }
    let mut tests: BTreeMap<(usize, &str), Test> = BTreeMap::new();
    for runner in &contracts {
        if runner.is_concrete && runner.path.ends_with(".t.sol") {
            let suite = format!("{}:{}", runner.path, runner.name);
            for (name, owner) in inherited_tests(&contracts, runner) {
                let contract = &contracts[owner];
                let test = tests.entry((owner, name)).or_insert_with(|| Test {
                    path: contract.path.clone(),
                    name: name.to_owned(),
                    ids: contract.tests[name].clone(),
                    runner: Runner::Forge,
                    cases: Vec::new(),
                });
                test.cases.push(Case::new(&suite, name));
            }
        }
    }
    Ok(tests.into_values().collect())
}

/// Test name to the index of the most derived contract that declares it.
fn inherited_tests<'a>(contracts: &'a [Contract], runner: &Contract) -> BTreeMap<&'a str, usize> {
    let mut found = BTreeMap::new();
    let mut level = vec![&runner.name];
    let mut seen = BTreeSet::new();
    while !level.is_empty() {
        let mut bases = Vec::new();
        for (index, contract) in contracts.iter().enumerate() {
            let is_this = level.contains(&&contract.name)
                && (contract.name != runner.name || contract.path == runner.path);
            if is_this && seen.insert(index) {
                for name in contract.tests.keys() {
                    found.entry(name.as_str()).or_insert(index);
                }
                bases.extend(&contract.bases);
            }
        }
        level = bases;
    }
    found
}

fn parse_solidity(file: &SourceFile) -> Result<Vec<Contract>> {
    let session = Session::builder()
        .with_buffer_emitter(ColorChoice::Never)
        .build();
    let parsed = session.enter_sequential(|| {
        let arena = Arena::new();
        let name = FileName::Custom(file.path.clone());
        let mut parser =
            Parser::from_source_code(&session, &arena, name, file.text.clone()).ok()?;
        let unit = parser.parse_file().map_err(|error| error.emit()).ok()?;
        let mut contracts = Vec::new();
        for item in unit.items.iter() {
            let ItemKind::Contract(contract) = &item.kind else {
                continue;
            };
            let mut tests = BTreeMap::new();
            for item in contract.body.iter() {
                let ItemKind::Function(function) = &item.kind else {
                    continue;
                };
                let name = function
                    .header
                    .name
                    .map(|name| name.to_string())
                    .unwrap_or_default();
                let visibility = function.header.visibility.map(|visibility| *visibility);
                let is_callable =
                    matches!(visibility, Some(Visibility::Public | Visibility::External));
                let is_test = name.starts_with("test") || name.starts_with("invariant");
                if is_callable && is_test && function.is_implemented() {
                    let body = session
                        .source_map()
                        .span_to_snippet(function.body_span)
                        .ok()?;
                    tests.insert(name, RequirementId::find_all(&body));
                }
            }
            let bases = contract.bases.iter();
            contracts.push(Contract {
                path: file.path.clone(),
                name: contract.name.to_string(),
                is_concrete: contract.kind == ContractKind::Contract,
                bases: bases.map(|base| base.name.last().to_string()).collect(),
                tests,
            });
        }
        Some(contracts)
    });
    let messages = session.emitted_diagnostics().map(|all| all.to_string());
    parsed.ok_or_else(|| eyre!(messages.unwrap_or_default()))
}

/// Tests that run by default: `#[test]` or `#[…::test]`, not `#[ignore]`; functions inside `proptest!` too.
pub fn rust_tests(files: &[SourceFile], workspace: &Workspace) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    let included =
        |file: &&SourceFile| !EXCLUDED.iter().any(|folder| file.path.starts_with(folder));
    for file in files.iter().filter(included) {
        let binaries: Vec<_> = workspace
            .targets
            .iter()
            .filter_map(|target| Some((&target.binary_id, module_path(&target.root, &file.path)?)))
            .collect();
        let mut found = RustTests {
            source: &file.text,
            modules: Vec::new(),
            tests: Vec::new(),
        };
        let tokens = file.text.parse().map_err(|error| located(file, &error))?;
        found.read(tokens);
        for (name, ids) in found.tests {
            let case = |(binary, modules): &(&String, Vec<String>)| {
                let path = [modules.as_slice(), std::slice::from_ref(&name)].concat();
                Case::new(binary, &path.join("::"))
            };
            let cases: Vec<_> = binaries.iter().map(case).collect();
            if !cases.is_empty() {
                let path = file.path.clone();
                tests.push(Test {
                    path,
                    name,
                    ids,
                    runner: Runner::Nextest,
                    cases,
                });
            }
        }
    }
    Ok(tests)
}

fn located(file: &SourceFile, error: &impl Display) -> eyre::Report {
    eyre!("{}: {error}", file.path)
}

/// Modules from a target's root file to another file; none if the file is outside the target's folder.
fn module_path(root: &str, file: &str) -> Option<Vec<String>> {
    if root == file {
        return Some(Vec::new());
    }
    let folder = &root[..=root.rfind('/')?];
    let path = file.strip_prefix(folder)?.strip_suffix(".rs")?;
    let mut modules: Vec<_> = path.split('/').map(str::to_owned).collect();
    modules.pop_if(|last| last == "mod");
    Some(modules)
}

/// Reads tokens rather than a syntax tree, so that functions inside macros are found as well.
struct RustTests<'a> {
    source: &'a str,
    modules: Vec<String>,
    tests: Vec<(String, BTreeSet<RequirementId>)>,
}

impl RustTests<'_> {
    fn read(&mut self, tokens: TokenStream) {
        let mut attributes: Vec<String> = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    if let Some(TokenTree::Group(attribute)) = tokens.peek() {
                        let text = attribute.stream().to_string().replace(' ', "");
                        attributes.push(text.split(['(', '=']).next().unwrap_or_default().into());
                    }
                }
                TokenTree::Ident(keyword) if keyword == "mod" || keyword == "fn" => {
                    let attributes = std::mem::take(&mut attributes);
                    if let Some((name, body)) = named_body(&mut tokens) {
                        if keyword == "mod" {
                            self.modules.push(name.to_string());
                            self.read(body.stream());
                            self.modules.pop();
                        } else if is_test(&attributes) {
                            self.add(&name, &body);
                        }
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => attributes.clear(),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    attributes.clear();
                    self.read(group.stream());
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, name: &Ident, body: &Group) {
        let name = name.to_string().trim_start_matches("r#").to_owned();
        let path = [self.modules.as_slice(), &[name]].concat().join("::");
        let ids = RequirementId::find_all(&self.source[body.span().byte_range()]);
        self.tests.push((path, ids));
    }
}

/// The name after `mod` or `fn` and the braces that follow; none for a declaration.
fn named_body(tokens: &mut Peekable<IntoIter>) -> Option<(Ident, Group)> {
    let Some(TokenTree::Ident(name)) = tokens.peek().cloned() else {
        return None;
    };
    loop {
        match tokens.next()? {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return Some((name, group));
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
}

fn is_test(attributes: &[String]) -> bool {
    let has = |name| {
        attributes
            .iter()
            .any(|path| path.rsplit("::").next() == Some(name))
    };
    has("test") && !has("ignore")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Target;

    fn summary(tests: &[Test]) -> Vec<String> {
        let line = |test: &Test| {
            let cases: Vec<_> = test
                .cases
                .iter()
                .map(|case| format!("{} {}", case.suite, case.name))
                .collect();
            format!(
                "{} [{}] in {}",
                test.label(),
                test.joined_ids(),
                cases.join(", ")
            )
        };
        tests.iter().map(line).collect()
    }

    #[test]
    fn reads_ids_from_solidity_test_bodies_only() {
        let text = r#"
            // A-01 at file level
            interface IThing { function test_Declared() external; }
            library Lib { function test_Lib() public pure { /* A-02 */ } }
            contract ThingTest {
                /// A-03 in a doc comment
                function test_Body(function (uint256) external f) external returns (bool) {
                    // A-04
                    if (true) { assertTrue(false, 'A-05 "}'); }
                    string memory s = unicode"A-06 }";
                }
                function test_Internal() internal { /* A-07 */ }
                function helper() public { /* A-08 */ }
                function invariant_Holds() external view { /* A-09 */ }
            }"#;
        let tests = solidity_tests(&[SourceFile::new("a.t.sol", text)]).unwrap();
        assert_eq!(
            summary(&tests),
            [
                "a.t.sol::invariant_Holds [A-09] in a.t.sol:ThingTest invariant_Holds",
                "a.t.sol::test_Body [A-04, A-05, A-06] in a.t.sol:ThingTest test_Body",
            ]
        );
        let other = solidity_tests(&[SourceFile::new("Mock.sol", text)]).unwrap();
        assert!(other.is_empty(), "not a test file");
    }

    #[test]
    fn counts_inherited_solidity_tests_unless_overridden() {
        let shared = "abstract contract Shared { function test_S() public virtual { /* A-01 */ } }";
        let tests = "abstract contract Middle is Shared { }
            contract ATest is Middle { function test_A() public { /* A-02 A-02 */ } }
            contract BTest is Shared { function test_S() public override { } }
            abstract contract Unused { function test_U() public { /* A-03 */ } }";
        let files = [
            SourceFile::new("Shared.sol", shared),
            SourceFile::new("a.t.sol", tests),
        ];
        assert_eq!(
            summary(&solidity_tests(&files).unwrap()),
            [
                "Shared.sol::test_S [A-01] in a.t.sol:ATest test_S",
                "a.t.sol::test_A [A-02] in a.t.sol:ATest test_A",
                "a.t.sol::test_S [] in a.t.sol:BTest test_S",
            ]
        );
    }

    #[test]
    fn reports_a_solidity_syntax_error() {
        let error = solidity_tests(&[SourceFile::new("a.t.sol", "contract {")]).unwrap_err();
        assert!(format!("{error:#}").contains("a.t.sol"), "{error:#}");
    }

    fn workspace() -> Workspace {
        let target = |binary_id: &str, root: &str| Target {
            binary_id: binary_id.into(),
            root: root.into(),
        };
        Workspace {
            crates: Vec::new(),
            targets: vec![
                target("atr-x", "crates/x/src/lib.rs"),
                target("atr-x::bin/x", "crates/x/src/main.rs"),
                target("atr-x::it", "crates/x/tests/it/main.rs"),
            ],
        }
    }

    #[test]
    fn reads_ids_from_rust_test_bodies_only() {
        let text = r##"
            //! A-01 at file level
            fn helper<'a>(x: &'a str) -> [u8; 2] { /* A-02 */ let _ = "#[test] fn no() {}"; [0; 2] }
            trait T { fn declared(&self); }
            mod tests {
                mod inner {
                    /// A-03 in the doc comment
                    #[test]
                    pub(crate) fn plain() { assert!(true, "A-04 {{ ü"); }
                }
                #[tokio::test(flavor = "current_thread")]
                async fn on_a_runtime() -> Result<(), [u8; 1]> {
                    // A-05
                    if true { let _ = r#"A-06 }"#; }
                }
                #[test]
                #[ignore = "needs a key"]
                fn ignored() { /* A-07 */ }
                proptest! {
                    #![proptest_config(Config::default())]
                    #[test]
                    fn holds(x in 0..10_u8, y in "[a-z]{3}") { /* A-08 */ prop_assert!(x < 10); }
                }
                macro_rules! generated { ($name:ident) => { #[test] fn $name() { "A-09"; } } }
                #[cfg(test)]
                fn not_a_test() { /* A-10 */ }
            }
            #[test]
            fn at_the_root() {}
        "##;
        let file = SourceFile::new("crates/x/tests/it/main.rs", text);
        assert_eq!(
            summary(&rust_tests(&[file], &workspace()).unwrap()),
            [
                "crates/x/tests/it/main.rs::tests::inner::plain [A-04] in atr-x::it tests::inner::plain",
                "crates/x/tests/it/main.rs::tests::on_a_runtime [A-05, A-06] in atr-x::it tests::on_a_runtime",
                "crates/x/tests/it/main.rs::tests::holds [A-08] in atr-x::it tests::holds",
                "crates/x/tests/it/main.rs::at_the_root [] in atr-x::it at_the_root",
            ]
        );
    }

    #[test]
    fn names_a_rust_test_by_file_and_module_in_every_target() {
        let text = "mod tests { #[test] fn holds() { /* A-01 */ } }";
        let found =
            |path| summary(&rust_tests(&[SourceFile::new(path, text)], &workspace()).unwrap());
        assert_eq!(
            found("crates/x/src/rules/mod.rs"),
            [
                "crates/x/src/rules/mod.rs::tests::holds [A-01] in atr-x rules::tests::holds, atr-x::bin/x rules::tests::holds"
            ]
        );
        assert!(found("crates/y/src/lib.rs").is_empty());
        assert!(found("tests/support/lib.rs").is_empty());
    }
}
