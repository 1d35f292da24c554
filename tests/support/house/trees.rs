//! Branching trees: each stands beside the tests that follow it.

use std::collections::BTreeSet;

use crate::source::{SourceFile, solidity};

/// Trees without tests beside them, and tests that a tree names but nobody wrote.
pub fn check(trees: &[SourceFile], tests: &[SourceFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for tree in trees {
        let beside = tree.path.trim_end_matches("tree").to_owned() + "t.sol";
        let Some(test) = tests.iter().find(|test| test.path == beside) else {
            faults.push(format!("{} has no {beside} beside it", tree.path));
            continue;
        };
        let written: BTreeSet<_> = solidity::functions(&test.text)
            .into_iter()
            .map(|function| function.name)
            .collect();
        let missing = named(&tree.text).filter(|name| !written.contains(*name));
        faults.extend(
            missing.map(|name| format!("{} names {name}, {beside} has no such test", tree.path)),
        );
    }
    faults
}

/// Words that are names of tests.
fn named(tree: &str) -> impl Iterator<Item = &str> {
    tree.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| word.starts_with("test_") || word.starts_with("testFuzz_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str =
        "registerTool\n├── when the URI is empty: test_RevertWhen_URIIsEmpty\n└── it works";

    fn faults(test: &SourceFile) -> Vec<String> {
        check(
            &[SourceFile::new("t/registerTool.tree", TREE)],
            std::slice::from_ref(test),
        )
    }

    #[test]
    fn a_tree_whose_tests_are_written_beside_it_passes() {
        let text = "contract T { function test_RevertWhen_URIIsEmpty() public { } }";
        assert_eq!(
            faults(&SourceFile::new("t/registerTool.t.sol", text)),
            [""; 0]
        );
    }

    #[test]
    fn a_tree_without_its_file_or_its_test_is_told() {
        let elsewhere = SourceFile::new("u/registerTool.t.sol", "");
        assert_eq!(
            faults(&elsewhere),
            ["t/registerTool.tree has no t/registerTool.t.sol beside it"]
        );
        let commented = "contract T { /* function test_RevertWhen_URIIsEmpty() public { } */ }";
        let faults = faults(&SourceFile::new("t/registerTool.t.sol", commented));
        assert!(
            faults[0].contains("names test_RevertWhen_URIIsEmpty"),
            "{faults:?}"
        );
    }
}
