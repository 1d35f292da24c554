//! The folders of committed artifacts.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{Compilation, Error};

/// Artifacts of the contracts, read by `atr-bindings`.
const CONTRACTS: &str = "crates/bindings/artifacts";

/// Artifacts of the mocks, read by `atr-harness`.
const MOCKS: &str = "crates/harness/artifacts";

/// Artifacts of the contracts that `atr dev` places on a local chain, read by `atr-cli`.
const DEVELOPMENT: &str = "crates/cli/artifacts";

/// A folder with one JSON file per artifact, optionally the build record, and nothing else.
#[derive(Clone, Debug)]
pub struct ArtifactFolder {
    path: PathBuf,
}

/// A file that differs from the compilation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The file does not exist.
    Missing(String),
    /// The content differs.
    Changed(String),
    /// The contract does not exist.
    Stale(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(file) => write!(f, "missing  {file}"),
            Self::Changed(file) => write!(f, "changed  {file}"),
            Self::Stale(file) => write!(f, "stale    {file}"),
        }
    }
}

impl ArtifactFolder {
    /// The artifacts of the contracts.
    #[must_use]
    pub fn contracts(root: &Path) -> Self {
        Self {
            path: root.join(CONTRACTS),
        }
    }

    /// The artifacts of the mocks.
    #[must_use]
    pub fn mocks(root: &Path) -> Self {
        Self {
            path: root.join(MOCKS),
        }
    }

    /// The artifacts of the contracts of a local chain.
    #[must_use]
    pub fn development(root: &Path) -> Self {
        Self {
            path: root.join(DEVELOPMENT),
        }
    }

    /// Lists the files that differ from the compilation, sorted; empty if all are up to date.
    ///
    /// # Errors
    ///
    /// When the folder or a file in it cannot be read.
    pub fn compare(&self, compilation: &Compilation) -> Result<Vec<Difference>, Error> {
        let mut present = self.files()?;
        let mut differences = Vec::new();
        for (file, content) in compilation.files() {
            if !present.remove(&file) {
                differences.push(Difference::Missing(file));
            } else if self.read(&file)? != content.as_bytes() {
                differences.push(Difference::Changed(file));
            }
        }
        differences.extend(present.into_iter().map(Difference::Stale));
        differences.sort();
        Ok(differences)
    }

    /// Updates the folder and returns the differences. Unchanged files are not written, so dependent crates are not rebuilt.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, written or removed.
    pub fn update(&self, compilation: &Compilation) -> Result<Vec<Difference>, Error> {
        fs::create_dir_all(&self.path).map_err(|source| Error::Write {
            path: self.path.clone(),
            source,
        })?;
        let contents = compilation.files();
        let differences = self.compare(compilation)?;
        for difference in &differences {
            match difference {
                Difference::Missing(file) | Difference::Changed(file) => {
                    self.replace(file, &contents[file])?;
                }
                Difference::Stale(file) => {
                    let path = self.path.join(file);
                    fs::remove_file(&path).map_err(|source| Error::Write { path, source })?;
                }
            }
        }
        Ok(differences)
    }

    fn files(&self) -> Result<BTreeSet<String>, Error> {
        let cannot_read = |source| Error::Read {
            path: self.path.clone(),
            source,
        };
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            // No folder: every file is missing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(cannot_read(error)),
        };
        entries
            .map(|entry| {
                Ok(entry
                    .map_err(cannot_read)?
                    .file_name()
                    .to_string_lossy()
                    .into_owned())
            })
            .collect()
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, Error> {
        let path = self.path.join(file);
        fs::read(&path).map_err(|source| Error::Read { path, source })
    }

    /// Writes a temporary file and renames it, so readers never see a partial file.
    fn replace(&self, file: &str, content: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        let temporary = self.path.join(format!(".{file}.{}", std::process::id()));
        let written = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|source| {
            // Best effort: the error of the write is more important.
            let _ = fs::remove_file(&temporary);
            Error::Write { path, source }
        })
    }
}
