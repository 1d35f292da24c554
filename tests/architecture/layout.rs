use std::path::Path;

use acceptance::{
    repository::{Repository, SourceFile},
    workspace::Workspace,
};
use regex::Regex;

use crate::assert_none;

fn files(folder: &str, extension: &str) -> Vec<SourceFile> {
    let files = Repository::here()
        .files(folder, extension)
        .expect("readable");
    assert!(!files.is_empty(), "no .{extension} files under {folder}");
    files
}

/// `path:line: message` for every match of a pattern's first group that a rule rejects.
fn findings(
    files: &[SourceFile],
    pattern: &str,
    rejects: impl Fn(&str, &str) -> Option<String>,
) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("valid pattern");
    let mut errors = Vec::new();
    for SourceFile { path, text } in files {
        for found in pattern.captures_iter(text) {
            let found = found.get(1).expect("one group");
            if let Some(message) = rejects(path, found.as_str()) {
                let line = text[..found.start()].lines().count();
                errors.push(format!("{path}:{line}: {message}"));
            }
        }
    }
    errors
}

/// Any compiler can build the sources without remappings.
fn imports_outside(files: &[SourceFile]) -> Vec<String> {
    findings(files, IMPORT, |path, imported| {
        let depth = path.matches('/').count() - "contracts/src/".matches('/').count();
        let is_inside = imported.starts_with("./") || imported.starts_with("../");
        let climbs = imported.matches("../").count();
        (!is_inside || climbs > depth)
            .then(|| format!("imports {imported} from outside contracts/src"))
    })
}

/// forge compiles tests without via-IR. A contract imported by a test would be tested as other bytecode than we ship.
fn shipped_imports(files: &[SourceFile]) -> Vec<String> {
    findings(files, IMPORT, |path, imported| {
        let is_base = imported.starts_with("src/predicates/base/");
        let is_shipped = imported == "src/ToolRegistry.sol"
            || (imported.starts_with("src/predicates/") && !is_base);
        (is_shipped && !path.starts_with("contracts/test/gas/")).then(|| {
            format!(
                "imports {imported}: import the interface and deploy the artifact (ArtifactDeployer.sol)"
            )
        })
    })
}

const IMPORT: &str = r#"(?m)^(?:import|\}? *from|import .*from) "([^"]+)""#;

fn assembly_outside_libraries(files: &[SourceFile]) -> Vec<String> {
    findings(files, r"(?m)^\s*(assembly)\b.*\{", |path, _| {
        (!path.starts_with("contracts/src/libraries/"))
            .then(|| "assembly outside libraries/".to_owned())
    })
}

/// A tree needs a test file beside it, with every test that the tree names.
fn tree_errors(trees: &[SourceFile], tests: &[SourceFile]) -> Vec<String> {
    let mut errors = Vec::new();
    for tree in trees {
        let beside = tree.path.trim_end_matches("tree").to_owned() + "t.sol";
        let Some(test) = tests.iter().find(|test| test.path == beside) else {
            errors.push(format!("{}: {beside} is missing", tree.path));
            continue;
        };
        errors.extend(findings(
            std::slice::from_ref(tree),
            r"\b(test(?:Fuzz)?_\w+)",
            |_, name| {
                let is_missing = !test.text.contains(&format!("function {name}("));
                is_missing.then(|| format!("{name} is not in {beside}"))
            },
        ));
    }
    errors
}

/// Absolute paths that exist on one machine only.
fn machine_paths(files: &[SourceFile]) -> Vec<String> {
    let pattern = r"(?m)(?:^|[^\w.~}-])(/(?:work|root|home)/)";
    findings(files, pattern, |_, root| {
        Some(format!("absolute path {root}… of one machine"))
    })
}

#[test]
fn contracts_import_only_from_their_own_folder() {
    assert_none(&imports_outside(&files("contracts/src", "sol")));
}

#[test]
fn contracts_use_assembly_only_in_libraries() {
    assert_none(&assembly_outside_libraries(&files("contracts/src", "sol")));
}

#[test]
fn solidity_tests_deploy_the_shipped_bytecode() {
    assert_none(&shipped_imports(&files("contracts/test", "sol")));
}

#[test]
fn every_tree_has_its_tests() {
    let trees = files("contracts/test/unit", "tree");
    assert_none(&tree_errors(&trees, &files("contracts/test/unit", "sol")));
}

#[test]
fn every_crate_uses_its_readme_as_documentation() {
    let repository = Repository::here();
    for package in Workspace::read(&repository).unwrap().crates {
        let source = Path::new("crates").join(&package.folder).join("src");
        let root = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let text: String = root
            .iter()
            .filter_map(|path| repository.read(path.to_str()?).ok())
            .collect();
        assert!(
            text.contains("#![doc = include_str!(\"../README.md\")]"),
            "{}",
            package.name
        );
    }
}

#[test]
fn committed_files_have_no_machine_paths_and_no_download_urls() {
    let Some(files) = Repository::here().committed_files().unwrap() else {
        return; // not a git checkout
    };
    assert_none(&machine_paths(&files));
    let locks = files.iter().filter(|file| file.path.ends_with("lock.json"));
    let urls = locks.filter(|file| file.text.contains("\"resolved\""));
    assert_none(
        &urls
            .map(|file| format!("{}: contains download URLs", file.path))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn the_checks_report_errors() {
    let check = |path: &str, text: &str, check: fn(&[SourceFile]) -> Vec<String>| {
        check(&[SourceFile::new(path, text)]).join("\n")
    };
    let source = "contracts/src/predicates/P.sol";
    for (text, expected) in [
        (
            "import { A } from \"../interfaces/A.sol\";\nimport \"./B.sol\";",
            0,
        ),
        ("import {\n    A,\n    B\n} from \"src/A.sol\";", 1),
        ("import \"@openzeppelin/A.sol\";", 1),
        ("import { A } from \"../../test/A.sol\";", 1),
    ] {
        assert_eq!(
            check(source, text, imports_outside).lines().count(),
            expected,
            "{text}"
        );
    }
    let shipped = "\nimport { P } from \"src/predicates/P.sol\";";
    assert!(
        check("contracts/test/unit/A.t.sol", shipped, shipped_imports)
            .starts_with("contracts/test/unit/A.t.sol:2:")
    );
    assert_eq!(
        check("contracts/test/gas/A.t.sol", shipped, shipped_imports),
        ""
    );
    let base = "import { P } from \"src/predicates/base/P.sol\";";
    assert_eq!(
        check("contracts/test/unit/A.t.sol", base, shipped_imports),
        ""
    );
    let assembly = "    // assembly {\n    assembly (\"memory-safe\") {";
    assert_eq!(
        check(source, assembly, assembly_outside_libraries)
            .lines()
            .count(),
        1
    );
    assert_eq!(
        check(
            "contracts/src/libraries/A.sol",
            assembly,
            assembly_outside_libraries
        ),
        ""
    );
    for root in ["work", "root", "home"] {
        assert_eq!(
            check("a", &format!("x = \"/{root}/a\""), machine_paths)
                .lines()
                .count(),
            1
        );
        assert_eq!(
            check(
                "a",
                &format!("https://a.example/{root}/b ~/{root}/c"),
                machine_paths
            ),
            ""
        );
    }
    let tree = [SourceFile::new(
        "t/a.tree",
        "├── when the URI is empty: test_RevertWhen_URIIsEmpty",
    )];
    let test = |text: &str| tree_errors(&tree, &[SourceFile::new("t/a.t.sol", text)]).len();
    assert_eq!(test("function test_RevertWhen_URIIsEmpty() public {"), 0);
    assert_eq!(test(""), 1);
    assert_eq!(tree_errors(&tree, &[]).len(), 1);
}
