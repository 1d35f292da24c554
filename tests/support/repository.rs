//! The repository on disk.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use eyre::{Result, WrapErr, ensure};

use crate::environment;

/// Folders with dependencies and build output.
const EXCLUDED: [&str; 2] = ["node_modules", "target"];

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

    /// Files under a folder with an extension, sorted by path; empty if the folder does not exist.
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
                if !name.starts_with('.') && !EXCLUDED.contains(&name.as_str()) {
                    self.walk(&path, ending, paths)?;
                }
            } else if name.ends_with(ending) {
                paths.push(path);
            }
        }
        Ok(())
    }

    /// Tracked files and new files that are not ignored; invalid UTF-8 is replaced. Empty if this is not a git checkout.
    pub fn committed_files(&self) -> Result<Vec<SourceFile>> {
        if !self.root.join(".git").exists() {
            return Ok(Vec::new());
        }
        let arguments = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let listing = self.run("git", &arguments)?;
        let paths = listing
            .split('\0')
            .filter(|path| self.root.join(path).is_file());
        let read = |path| {
            let bytes = fs::read(self.root.join(path))?;
            Ok(SourceFile::new(path, String::from_utf8_lossy(&bytes)))
        };
        paths.map(read).collect()
    }

    /// Output of `cargo metadata` for the packages of the workspace.
    pub fn cargo_metadata(&self) -> Result<serde_json::Value> {
        let arguments = ["metadata", "--format-version=1", "--no-deps", "--offline"];
        Ok(serde_json::from_str(
            &self.run(&environment::cargo(), &arguments)?,
        )?)
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
