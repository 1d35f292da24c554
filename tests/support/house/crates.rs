//! `crates/` and `tests/`: short files, short test modules, a README that is the front page.

use crate::source::{SourceFile, rust};

const MAX_LINES: usize = 600;
const MAX_TEST_MODULE_LINES: usize = 150;
const FRONT_PAGE: &str = "#![doc = include_str!(\"../README.md\")]";

/// Rust files that are too long without their tests, or whose tests belong in a file of their own.
pub fn lengths(files: &[SourceFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for SourceFile { path, text } in files {
        let modules = rust::read(text).test_module_lines;
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        let lines = text.lines().count() - modules.iter().sum::<usize>();
        if lines > MAX_LINES && !is_test {
            faults.push(format!(
                "{path} has {lines} lines without tests, at most {MAX_LINES}"
            ));
        }
        if let Some(lines) = modules.iter().find(|lines| **lines > MAX_TEST_MODULE_LINES) {
            let folder = path.trim_end_matches(".rs");
            faults.push(format!(
                "{path} has a test module of {lines} lines, at most {MAX_TEST_MODULE_LINES}: move it to {folder}/tests.rs"
            ));
        }
    }
    faults
}

/// Crates without a README, or whose root file does not show it.
pub fn front_pages(folders: &[String], files: &[SourceFile]) -> Vec<String> {
    let find = |path: String| files.iter().find(|file| file.path == path);
    let mut faults = Vec::new();
    for folder in folders {
        let folder = format!("crates/{folder}");
        if find(format!("{folder}/README.md")).is_none() {
            faults.push(format!("{folder} has no README.md"));
        }
        let root =
            find(format!("{folder}/src/lib.rs")).or_else(|| find(format!("{folder}/src/main.rs")));
        if !root.is_some_and(|root| root.text.lines().any(|line| line.trim() == FRONT_PAGE)) {
            faults.push(format!(
                "{folder}/src/lib.rs does not open with `{FRONT_PAGE}`"
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(lines: usize) -> String {
        format!("#[cfg(test)]\nmod tests {{{}}}\n", "\n".repeat(lines - 1))
    }

    #[test]
    fn tests_do_not_count_towards_the_length_of_a_file() {
        let text = "//\n".repeat(MAX_LINES - 1) + &module(MAX_TEST_MODULE_LINES);
        assert_eq!(
            lengths(&[SourceFile::new("crates/a/src/b.rs", text)]),
            [""; 0]
        );
        let long = "//\n".repeat(MAX_LINES + 1);
        assert_eq!(
            lengths(&[SourceFile::new("crates/a/src/b/tests.rs", long.clone())]),
            [""; 0]
        );
        let faults = lengths(&[SourceFile::new("crates/a/src/b.rs", long)]);
        assert_eq!(
            faults,
            ["crates/a/src/b.rs has 601 lines without tests, at most 600"]
        );
    }

    #[test]
    fn a_long_test_module_is_told_where_to_go() {
        let file = SourceFile::new("crates/a/src/b.rs", module(MAX_TEST_MODULE_LINES + 1));
        assert!(lengths(&[file])[0].ends_with("move it to crates/a/src/b/tests.rs"));
    }

    #[test]
    fn a_crate_shows_its_readme_in_its_root_file() {
        let readme = SourceFile::new("crates/a/README.md", "# a");
        let folders = ["a".to_owned()];
        for root in ["lib", "main"] {
            let root = SourceFile::new(format!("crates/a/src/{root}.rs"), FRONT_PAGE);
            assert_eq!(front_pages(&folders, &[readme.clone(), root]), [""; 0]);
        }
        let silent = SourceFile::new("crates/a/src/lib.rs", format!("// {FRONT_PAGE}"));
        assert!(front_pages(&folders, &[readme, silent])[0].contains("does not open with"));
        assert_eq!(front_pages(&folders, &[]).len(), 2);
    }
}
