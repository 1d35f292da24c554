//! What may be committed: a fixed top level, and nothing that only one machine knows.

use std::collections::BTreeSet;

use crate::source::SourceFile;

/// The visible top level. Anything else there needs the owner's yes.
const TOP_LEVEL: [&str; 13] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "contracts",
    "crates",
    "foundry.toml",
    "script",
    "tests",
];

/// First folders of paths that hold on one machine only.
const PRIVATE_ROOTS: [&str; 3] = ["work", "root", "home"];

/// What stands at the visible top level and should not, or should and does not.
pub fn top_level(committed: &[String]) -> Vec<String> {
    let found: BTreeSet<_> = committed
        .iter()
        .filter_map(|path| path.split('/').next())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let agreed = BTreeSet::from(TOP_LEVEL);
    let strange = found.difference(&agreed);
    let strange =
        strange.map(|name| format!("{name} stands at the top level: move it into a room"));
    let missing = agreed.difference(&found);
    let missing = missing.map(|name| format!("{name} is missing at the top level"));
    strange.chain(missing).collect()
}

/// Lines that hold a path of one machine.
pub fn machine_paths(files: &[SourceFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            if PRIVATE_ROOTS
                .iter()
                .any(|root| starts_a_path(line, &format!("/{root}/")))
            {
                faults.push(format!(
                    "{}:{} holds a path of one machine",
                    file.path,
                    index + 1
                ));
            }
        }
    }
    faults
}

/// Whether `root` stands in a line as the start of a path, and not in the middle of a longer one.
fn starts_a_path(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|character| character.is_alphanumeric() || "_-.~}".contains(character))
    })
}

/// Lock files that say where their packages were downloaded from.
pub fn download_addresses(files: &[SourceFile]) -> Vec<String> {
    let is_lock = |path: &str| {
        path.rsplit('/')
            .next()
            .is_some_and(|name| name.contains("lock"))
    };
    files
        .iter()
        .filter(|file| is_lock(&file.path) && file.text.contains("\"resolved\""))
        .map(|file| format!("{} names download addresses: omit them", file.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed() -> Vec<String> {
        TOP_LEVEL
            .iter()
            .map(|name| format!("{name}/x"))
            .chain([".gitignore".into()])
            .collect()
    }

    #[test]
    fn the_agreed_top_level_passes_and_dot_files_do_not_matter() {
        assert_eq!(top_level(&agreed()), [""; 0]);
    }

    #[test]
    fn a_stranger_and_a_missing_name_are_told() {
        let mut committed = agreed();
        committed.push("notes.txt".into());
        committed.retain(|path| !path.starts_with("Makefile"));
        assert_eq!(
            top_level(&committed),
            [
                "notes.txt stands at the top level: move it into a room",
                "Makefile is missing at the top level"
            ]
        );
    }

    #[test]
    fn a_path_of_one_machine_is_found_with_its_line() {
        for root in PRIVATE_ROOTS {
            for text in [format!("/{root}/a"), format!("x\ny = \"/{root}/a\"")] {
                let line = text.lines().count();
                let faults = machine_paths(&[SourceFile::new("a.toml", text)]);
                assert_eq!(
                    faults,
                    [format!("a.toml:{line} holds a path of one machine")]
                );
            }
        }
    }

    #[test]
    fn the_middle_of_a_longer_path_or_address_is_no_fault() {
        for root in PRIVATE_ROOTS {
            for before in ["https://a.example", "./src", "..", "~", "${HOME}", "a_"] {
                let file = SourceFile::new("a", format!("{before}/{root}/b"));
                assert_eq!(machine_paths(&[file]), [""; 0]);
            }
        }
    }

    #[test]
    fn a_lock_file_with_download_addresses_is_found() {
        let text = "{ \"resolved\": \"https://registry.example/a.tgz\" }";
        let faults = download_addresses(&[
            SourceFile::new("contracts/package-lock.json", text),
            SourceFile::new("contracts/lock/notes.md", text),
            SourceFile::new("Cargo.lock", "source"),
        ]);
        assert_eq!(
            faults,
            ["contracts/package-lock.json names download addresses: omit them"]
        );
    }
}
