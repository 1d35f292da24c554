//! Test functions and the requirement ids in their bodies.

use std::collections::{BTreeMap, BTreeSet};

use eyre::{Result, WrapErr, eyre};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use solar_parse::{
    Parser,
    ast::{Arena, ContractKind, ItemKind, Visibility},
    interface::{ColorChoice, Session, source_map::FileName},
};

use super::requirements::find_ids;
use crate::repository::SourceFile;

/// Folders of `tests/` that are not suites, or whose ids are test data of this check.
const EXCLUDED: [&str; 3] = ["architecture", "fuzz", "support"];

#[derive(Clone, Debug)]
pub struct Test {
    /// `path::name`
    pub label: String,
    pub ids: BTreeSet<String>,
    /// Suite and name of the test in the report. An inherited Solidity test has several.
    pub cases: Vec<(String, String)>,
}

struct Contract {
    path: String,
    name: String,
    is_concrete: bool,
    bases: Vec<String>,
    /// Ids in the bodies of public and external functions whose name starts with `test` or `invariant`.
    tests: BTreeMap<String, BTreeSet<String>>,
}

/// A test in a base contract counts through the concrete contracts that inherit it without overriding it.
pub(super) fn solidity_tests(files: &[SourceFile]) -> Result<Vec<Test>> {
    let mut contracts = Vec::new();
    for file in files {
        contracts.extend(parse_solidity(file).wrap_err_with(|| file.path.clone())?);
    }
    let mut tests: BTreeMap<String, Test> = BTreeMap::new();
    for contract in &contracts {
        if contract.is_concrete && contract.path.ends_with(".t.sol") {
            let suite = format!("{}:{}", contract.path, contract.name);
            for (name, owner) in inherited_tests(&contracts, contract) {
                let key = format!("{}:{}::{name}", owner.path, owner.name);
                let test = tests.entry(key).or_insert_with(|| Test {
                    label: format!("{}::{name}", owner.path),
                    ids: owner.tests[name].clone(),
                    cases: Vec::new(),
                });
                test.cases.push((suite.clone(), name.to_owned()));
            }
        }
    }
    Ok(tests.into_values().collect())
}

/// Test name to the most derived contract that declares it.
fn inherited_tests<'a>(
    contracts: &'a [Contract],
    contract: &'a Contract,
) -> BTreeMap<&'a str, &'a Contract> {
    let mut found = BTreeMap::new();
    let mut lineage = vec![contract];
    let mut next = 0;
    while let Some(contract) = lineage.get(next).copied() {
        next += 1;
        for name in contract.tests.keys() {
            found.entry(name.as_str()).or_insert(contract);
        }
        lineage.extend(
            contracts
                .iter()
                .filter(|base| contract.bases.contains(&base.name)),
        );
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
                if (name.starts_with("test") || name.starts_with("invariant"))
                    && matches!(visibility, Some(Visibility::Public | Visibility::External))
                    && function.is_implemented()
                {
                    let body = session
                        .source_map()
                        .span_to_snippet(function.body_span)
                        .ok()?;
                    tests.insert(name, find_ids(&body));
                }
            }
            contracts.push(Contract {
                path: file.path.clone(),
                name: contract.name.to_string(),
                is_concrete: contract.kind == ContractKind::Contract,
                bases: contract
                    .bases
                    .iter()
                    .map(|base| base.name.last().to_string())
                    .collect(),
                tests,
            });
        }
        Some(contracts)
    });
    let messages = session.emitted_diagnostics().map(|all| all.to_string());
    parsed.ok_or_else(|| eyre!(messages.unwrap_or_default()))
}

/// Tests that run by default: `#[test]` or `#[…::test]`, not `#[ignore]`; functions inside `proptest!` too.
pub(super) fn rust_tests(files: &[SourceFile]) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for SourceFile { path, text } in files {
        let Some((suite, modules)) = rust_suite(path) else {
            continue;
        };
        let tokens = text.parse().map_err(|error| eyre!("{path}: {error}"))?;
        let mut found = Vec::new();
        read_tokens(tokens, text, "", &mut found);
        tests.extend(found.into_iter().map(|(name, ids)| Test {
            label: format!("{path}::{name}"),
            ids,
            cases: vec![(suite.clone(), modules.clone() + &name)],
        }));
    }
    Ok(tests)
}

/// nextest's name of the binary, and the module path of the file, each module followed by `::`.
fn rust_suite(path: &str) -> Option<(String, String)> {
    let parts: Vec<_> = path.strip_suffix(".rs")?.split('/').collect();
    let (suite, modules) = match parts.as_slice() {
        ["crates", package, "src", modules @ ..] => (format!("atr-{package}"), modules),
        ["crates", package, "tests", suite, modules @ ..] => {
            (format!("atr-{package}::{suite}"), modules)
        }
        ["tests", suite, modules @ ..] if !EXCLUDED.contains(suite) => {
            (format!("acceptance::{suite}"), modules)
        }
        _ => return None,
    };
    let modules = match modules {
        [parents @ .., "lib" | "main" | "mod"] => parents,
        all => all,
    };
    Some((
        suite,
        modules.iter().map(|module| format!("{module}::")).collect(),
    ))
}

/// Reads tokens rather than a syntax tree, to find functions inside macros as well.
fn read_tokens(
    tokens: TokenStream,
    source: &str,
    modules: &str,
    tests: &mut Vec<(String, BTreeSet<String>)>,
) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut attributes = Vec::new();
    let mut item = None;
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1)) {
            (TokenTree::Punct(punct), Some(TokenTree::Group(attribute)))
                if punct.as_char() == '#' =>
            {
                let text = attribute.stream().to_string().replace(' ', "");
                let path = text.split(['(', '=']).next().unwrap_or_default();
                attributes.push(path.rsplit("::").next().unwrap_or_default().to_owned());
            }
            (TokenTree::Ident(keyword), Some(TokenTree::Ident(name)))
                if keyword == "mod" || keyword == "fn" =>
            {
                let name = name.to_string().trim_start_matches("r#").to_owned();
                item = Some((keyword == "fn", modules.to_owned() + &name));
            }
            (TokenTree::Punct(punct), _) if punct.as_char() == ';' => {
                (attributes, item) = (Vec::new(), None);
            }
            (TokenTree::Group(body), _) if body.delimiter() == Delimiter::Brace => {
                let has = |name| attributes.iter().any(|attribute| attribute == name);
                match item.take() {
                    Some((true, name)) if has("test") && !has("ignore") => {
                        tests.push((name, find_ids(&source[body.span().byte_range()])));
                    }
                    Some((true, _)) => {}
                    Some((false, module)) => {
                        read_tokens(body.stream(), source, &(module + "::"), tests);
                    }
                    None => read_tokens(body.stream(), source, modules, tests),
                }
                attributes.clear();
            }
            _ => {}
        }
    }
}
