use acceptance::repository::{Repository, SourceFile};
use regex::Regex;

use crate::assert_none;

/// Text that files must not contain.
struct Rule {
    /// Regular expressions for the paths that the rule applies to, and for exceptions.
    files: &'static str,
    except: &'static str,
    pattern: &'static str,
    message: &'static str,
    /// Text that breaks the rule.
    example: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        files: r"^contracts/src/.*\.sol$",
        except: "^$",
        pattern: r#"(?m)^(?:import|\})[^"\n]*"(?:[^.]|(?:\.\./)+(?:test|node_modules|contracts)/)"#,
        message: "imports must stay inside contracts/src: any compiler builds it without remappings",
        example: "import {\n    A\n} from \"src/A.sol\";",
    },
    Rule {
        files: r"^contracts/src/.*\.sol$",
        except: "^contracts/src/libraries/",
        pattern: r"(?m)^\s*assembly\b.*\{",
        message: "assembly belongs in contracts/src/libraries",
        example: "    assembly (\"memory-safe\") {",
    },
    Rule {
        files: r"^contracts/test/.*\.sol$",
        except: "^contracts/test/(?:gas|periphery)/",
        pattern: r#"(?m)^(?:import|\})[^"\n]*"src/(?:ToolRegistry|predicates/[^/"]+)\.sol""#,
        message: "forge compiles tests without via-IR: import the interface and deploy the artifact (ArtifactDeployer.sol)",
        example: "import { P } from \"src/predicates/P.sol\";",
    },
    Rule {
        files: "",
        except: "^$",
        pattern: r"(?m)(?:^|[^\w.~}-])/(?:work|root|home)/",
        message: "absolute path of one machine",
        example: concat!("x = \"/", "home/a\""),
    },
    Rule {
        files: r"lock\.json$",
        except: "^$",
        pattern: r#""resolved""#,
        message: "download URL in a lock file",
        example: r#""resolved": "https://a.example""#,
    },
];

fn errors(rule: &Rule, files: &[SourceFile]) -> Vec<String> {
    let [applies, except, pattern] = [rule.files, rule.except, rule.pattern]
        .map(|text| Regex::new(text).expect("valid pattern"));
    let is_checked =
        |file: &&SourceFile| applies.is_match(&file.path) && !except.is_match(&file.path);
    let mut errors = Vec::new();
    for SourceFile { path, text } in files.iter().filter(is_checked) {
        for found in pattern.find_iter(text) {
            let line = text[..found.end()].lines().count();
            errors.push(format!("{path}:{line}: {}", rule.message));
        }
    }
    errors
}

#[test]
fn files_keep_the_layout_rules() {
    let files = Repository::here().committed_files().unwrap();
    for rule in RULES {
        assert_none(&errors(rule, &files));
        let pattern = Regex::new(rule.pattern).unwrap();
        assert!(pattern.is_match(rule.example), "{}", rule.message);
    }
}

#[test]
fn every_tree_has_its_tests() {
    let repository = Repository::here();
    let name = Regex::new(r"\btest(?:Fuzz)?_\w+").unwrap();
    for tree in repository.files("contracts/test/unit", "tree").unwrap() {
        let path = tree.path.replace(".tree", ".t.sol");
        let tests = repository.read(&path).unwrap();
        for name in name.find_iter(&tree.text).map(|name| name.as_str()) {
            assert!(
                tests.contains(&format!("function {name}(")),
                "{name} is not in {path}"
            );
        }
    }
}

#[test]
fn every_crate_uses_its_readme_as_documentation() {
    let files = Repository::here().files("crates", "rs").unwrap();
    for lib in files
        .iter()
        .filter(|file| file.path.ends_with("/src/lib.rs"))
    {
        let include = "#![doc = include_str!(\"../README.md\")]";
        assert!(lib.text.contains(include), "{}", lib.path);
    }
}
