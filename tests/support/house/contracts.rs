//! `contracts/src`: nothing from outside, assembly in one place, short files and functions.

use crate::source::{
    SourceFile,
    lexer::{Kind, Language, lex},
    solidity,
};

const ROOT: &str = "contracts/src/";
const LIBRARIES: &str = "contracts/src/libraries/";
const MAX_CONTRACT_LINES: usize = 400;
const MAX_LIBRARY_LINES: usize = 250;
const MAX_FUNCTION_LINES: usize = 40;

/// What is wrong with the files under `contracts/src`.
pub fn check(files: &[SourceFile]) -> Vec<String> {
    files
        .iter()
        .flat_map(|file| [outside_imports(file), assembly(file), lengths(file)].concat())
        .collect()
}

/// What is wrong with the imports of tests: they are compiled by another pipeline than what we ship, and a contract they
/// import would be compiled, and tested, as another one. Gas benchmarks are compiled as we ship; bases are no contracts.
pub fn check_tests(files: &[SourceFile]) -> Vec<String> {
    let is_shipped = |imported: &str| {
        imported == "src/ToolRegistry.sol"
            || (imported.starts_with("src/predicates/")
                && !imported.starts_with("src/predicates/base/"))
    };
    files
        .iter()
        .filter(|file| !file.path.starts_with("contracts/test/gas/"))
        .flat_map(|file| {
            imports(file)
                .into_iter()
                .filter(|(imported, _)| is_shipped(imported))
                .map(|(imported, line)| {
                    format!(
                        "{}:{line} imports {imported}: import its interface and deploy it by name (Shipped.sol)",
                        file.path
                    )
                })
        })
        .collect()
}

/// Imports are relative and stay inside the folder, so that any compiler can build it.
fn outside_imports(file: &SourceFile) -> Vec<String> {
    imports(file)
        .into_iter()
        .filter(|(imported, _)| {
            !resolved(&file.path, imported).is_some_and(|path| path.starts_with(ROOT))
        })
        .map(|(imported, line)| {
            format!(
                "{}:{line} imports {imported}: only relative paths inside {ROOT}",
                file.path
            )
        })
        .collect()
}

/// What a file imports, as written, and in which line.
fn imports(file: &SourceFile) -> Vec<(String, usize)> {
    let code: Vec<_> = lex(Language::Solidity, &file.text)
        .into_iter()
        .filter(|token| token.kind != Kind::Comment)
        .collect();
    code.iter()
        .enumerate()
        .filter(|(_, token)| token.is("import"))
        .filter_map(|(index, import)| {
            let text = code[index..]
                .iter()
                .find(|token| token.kind == Kind::Text)?;
            let imported = text.text.trim_matches(['"', '\'']);
            Some((imported.to_owned(), import.line))
        })
        .collect()
}

/// The path a relative import leads to; none for one that is not relative or climbs out of the repository.
fn resolved(from: &str, imported: &str) -> Option<String> {
    if !imported.starts_with("./") && !imported.starts_with("../") {
        return None;
    }
    let mut parts: Vec<_> = from.split('/').collect();
    parts.pop();
    for part in imported.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn assembly(file: &SourceFile) -> Vec<String> {
    if file.path.starts_with(LIBRARIES) {
        return Vec::new();
    }
    lex(Language::Solidity, &file.text)
        .iter()
        .filter(|token| token.is("assembly"))
        .map(|token| {
            format!(
                "{}:{} has assembly outside {LIBRARIES}",
                file.path, token.line
            )
        })
        .collect()
}

fn lengths(file: &SourceFile) -> Vec<String> {
    let is_library = lex(Language::Solidity, &file.text)
        .iter()
        .any(|token| token.is("library"));
    let (kind, max) = if is_library {
        ("library", MAX_LIBRARY_LINES)
    } else {
        ("contract", MAX_CONTRACT_LINES)
    };
    let lines = file.text.lines().count();
    let mut faults = Vec::new();
    if lines > max {
        faults.push(format!(
            "{} has {lines} lines; a {kind} has at most {max}",
            file.path
        ));
    }
    for function in solidity::functions(&file.text) {
        let lines = function.last_line - function.first_line + 1;
        if lines > MAX_FUNCTION_LINES {
            faults.push(format!(
                "{}:{} {} has {lines} lines; a function has at most {MAX_FUNCTION_LINES}",
                file.path, function.first_line, function.name
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        check(&[SourceFile::new(path, text)])
    }

    #[test]
    fn relative_imports_inside_the_folder_pass() {
        let text = "// import \"x\"\nimport { A } from \"../interfaces/A.sol\";\nimport './B.sol';";
        assert_eq!(faults("contracts/src/predicates/P.sol", text), [""; 0]);
    }

    #[test]
    fn imports_by_remapping_or_out_of_the_folder_are_refused() {
        for imported in [
            "src/A.sol",
            "@openzeppelin/A.sol",
            "../test/A.sol",
            "../../../../A.sol",
        ] {
            let faults = faults("contracts/src/A.sol", &format!("\nimport \"{imported}\";"));
            assert_eq!(faults.len(), 1, "{imported}");
            assert!(
                faults[0].starts_with("contracts/src/A.sol:2 imports"),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn tests_import_interfaces_and_not_what_we_ship() {
        let faults = |path: &str, imported: &str| {
            check_tests(&[SourceFile {
                path: path.to_owned(),
                text: format!("import {{ A }} from \"{imported}\";"),
            }])
        };
        for imported in [
            "src/ToolRegistry.sol",
            "src/predicates/CompositePredicate.sol",
        ] {
            assert_eq!(faults("contracts/test/unit/A.t.sol", imported).len(), 1);
            assert_eq!(faults("contracts/test/gas/A.t.sol", imported), [""; 0]);
        }
        for imported in [
            "src/interfaces/IToolRegistry.sol",
            "src/interfaces/predicates/ICompositePredicate.sol",
            "src/libraries/URITextLib.sol",
            "src/predicates/base/ConfiguredPredicate.sol",
        ] {
            assert_eq!(faults("contracts/test/unit/A.t.sol", imported), [""; 0]);
        }
    }

    #[test]
    fn assembly_is_allowed_in_libraries_only() {
        let text = "contract A { // assembly\n function f() public { assembly { } } }";
        assert_eq!(faults("contracts/src/libraries/A.sol", text), [""; 0]);
        let faults = faults("contracts/src/A.sol", text);
        assert_eq!(
            faults,
            ["contracts/src/A.sol:2 has assembly outside contracts/src/libraries/"]
        );
    }

    #[test]
    fn files_at_the_limit_pass_and_one_line_more_does_not() {
        for (head, max) in [("contract A { }\n", 400), ("library A { }\n", 250)] {
            let path = "contracts/src/libraries/A.sol";
            assert_eq!(
                faults(path, &format!("{head}{}", "\n".repeat(max - 1))),
                [""; 0]
            );
            let faults = faults(path, &format!("{head}{}", "\n".repeat(max)));
            assert!(
                faults[0].contains(&format!("has at most {max}")),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn functions_at_the_limit_pass_and_one_line_more_does_not() {
        let body = |lines| {
            format!(
                "contract A {{ function f() public {{{}}} }}",
                "\n".repeat(lines)
            )
        };
        assert_eq!(faults("contracts/src/A.sol", &body(39)), [""; 0]);
        assert!(faults("contracts/src/A.sol", &body(40))[0].contains("f has 41 lines"));
    }
}
