//! The folder the artifacts are committed to: brought up to date, or compared.

use std::{
    collections::BTreeSet,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{Compilation, Error};

/// Where the bindings read from, below the repository's root.
const CONTRACTS: &str = "crates/bindings/artifacts";

/// Where the harness reads the mocks from.
const MOCKS: &str = "crates/harness/artifacts";

/// A folder that holds one JSON file per artifact, the build they share, and nothing else.
#[derive(Clone, Debug)]
pub struct ArtifactFolder {
    path: PathBuf,
}

/// One file that is not what a fresh compilation gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The contract exists, its file does not.
    Missing(String),
    /// The file exists and says something else.
    Changed(String),
    /// The file exists, its contract does not (any more).
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
    /// The bindings' folder in the repository at `root`.
    #[must_use]
    pub fn of_repository(root: &Path) -> Self {
        Self {
            path: root.join(CONTRACTS),
        }
    }

    /// The harness' folder of mocks in the repository at `root`.
    #[must_use]
    pub fn of_mocks(root: &Path) -> Self {
        Self {
            path: root.join(MOCKS),
        }
    }

    /// Lists what is not as a fresh compilation gives it, sorted; empty when everything is up to date.
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

    /// Brings the folder up to date and tells what had to be changed for it.
    ///
    /// Files that are right already are left alone, so that nothing built from them is built again.
    ///
    /// # Errors
    ///
    /// When something cannot be read, written or removed.
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
            // Not made yet: every file is missing, which is an answer.
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

    /// Writes beside the file and renames over it: a reader, or an interrupted run, sees the old bytes or the new ones.
    fn replace(&self, file: &str, content: &str) -> Result<(), Error> {
        let path = self.path.join(file);
        let temporary = self.path.join(format!(".{file}.{}", std::process::id()));
        let written = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|source| {
            // Best effort: the write has failed already, and that is what the developer must hear.
            let _ = fs::remove_file(&temporary);
            Error::Write { path, source }
        })
    }
}
