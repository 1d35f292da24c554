//! The repository on disk.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use eyre::{Result, WrapErr, ensure};

use crate::environment;

/// Folders that hold what others wrote or what tools made.
const FOREIGN: [&str; 2] = ["node_modules", "target"];

/// A text file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path from the repository root, with forward slashes.
    pub path: String,
    /// Content.
    pub text: String,
}

impl SourceFile {
    /// A file from its parts.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }
}

/// The checkout that contains this package.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository this was compiled from.
    pub fn here() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: package.parent().unwrap_or(package).to_owned(),
        }
    }

    /// Its top folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Text of a file.
    pub fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.root.join(path)).wrap_err_with(|| format!("could not read {path}"))
    }

    /// Files under a folder with an extension, in order; none if the folder is not there.
    pub fn files(&self, folder: &str, extension: &str) -> Result<Vec<SourceFile>> {
        let mut paths = Vec::new();
        if self.root.join(folder).is_dir() {
            self.walk(folder, &format!(".{extension}"), &mut paths)?;
        }
        paths.sort();
        paths
            .into_iter()
            .map(|path| Ok(SourceFile::new(path.clone(), self.read(&path)?)))
            .collect()
    }

    fn walk(&self, folder: &str, ending: &str, paths: &mut Vec<String>) -> Result<()> {
        let entries = fs::read_dir(self.root.join(folder))
            .wrap_err_with(|| format!("could not list {folder}"))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                    self.walk(&path, ending, paths)?;
                }
            } else if name.ends_with(ending) {
                paths.push(path);
            }
        }
        Ok(())
    }

    /// What is committed or would be: tracked files and new ones that are not ignored.
    /// None without git's metadata, as in an unpacked archive.
    pub fn committed(&self) -> Result<Option<Vec<String>>> {
        if !self.root.join(".git").exists() {
            return Ok(None);
        }
        let arguments = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let listing = self.run("git", &arguments)?;
        let present = |path: &&str| !path.is_empty() && self.root.join(path).is_file();
        Ok(Some(
            listing
                .split('\0')
                .filter(present)
                .map(str::to_owned)
                .collect(),
        ))
    }

    /// Every committed file with its text; bytes that are no text are replaced.
    pub fn committed_files(&self) -> Result<Option<Vec<SourceFile>>> {
        let Some(paths) = self.committed()? else {
            return Ok(None);
        };
        let read = |path: String| {
            let bytes = fs::read(self.root.join(&path))?;
            Ok(SourceFile::new(path, String::from_utf8_lossy(&bytes)))
        };
        paths.into_iter().map(read).collect::<Result<_>>().map(Some)
    }

    /// What `cargo metadata` says of the workspace's own packages.
    pub fn cargo_metadata(&self) -> Result<String> {
        let arguments = [
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ];
        self.run(&environment::cargo(), &arguments)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(&self.root)
            .output()
            .wrap_err_with(|| format!("could not start {program}"))?;
        ensure!(
            output.status.success(),
            "{program} {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Ok(String::from_utf8(output.stdout)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_a_folder_in_order_and_by_ending() {
        let files = Repository::here().files("tests/support", "rs").unwrap();
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert!(
            paths.contains(&"tests/support/coverage/report.rs"),
            "{paths:?}"
        );
        assert!(paths.is_sorted());
        assert!(
            Repository::here()
                .files("tests/no-such-folder", "rs")
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn a_checkout_without_git_is_told_apart_from_an_empty_one() {
        let elsewhere = Repository {
            root: Repository::here().root.join("tests/support"),
        };
        assert!(elsewhere.committed().unwrap().is_none());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let error = Repository::here().read("tests/no-such-file").unwrap_err();
        assert!(error.to_string().contains("tests/no-such-file"));
    }
}
