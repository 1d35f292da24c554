//! Errors of compilation and of artifact files.

use std::path::PathBuf;

use foundry_compilers::error::SolcError;

/// Compiling or comparing the artifacts failed. Outdated artifacts are not an error: see [`Difference`](crate::Difference).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum Error {
    /// The working directory has no parent with a `foundry.toml`.
    #[error(
        "no foundry.toml in this folder or its parents; run inside the repository or pass --root"
    )]
    NoRoot,
    /// A file or folder could not be read.
    #[error("cannot read {path}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file could not be written, replaced or removed.
    #[error("cannot write {path}")]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    /// `foundry.toml` is not valid TOML.
    #[error("{path}:{line}: invalid TOML: {message}")]
    Toml {
        path: PathBuf,
        /// From 1.
        line: usize,
        message: String,
    },
    /// A setting that affects bytecode is not set.
    #[error(
        "{path}: `{key}` is missing from [profile.default]; it affects bytecode, so it must be set explicitly"
    )]
    MissingSetting { path: PathBuf, key: &'static str },
    /// An unknown setting, which may affect bytecode.
    #[error(
        "{path}:{line}: unknown setting `{key}`; add it to crates/artifacts/src/settings.rs, to the settings that affect bytecode or \
         to those that do not"
    )]
    UnknownSetting {
        path: PathBuf,
        /// From 1.
        line: usize,
        key: String,
    },
    /// A setting with an invalid value.
    #[error("{path}:{line}: `{key}` must be {expected}")]
    InvalidSetting {
        path: PathBuf,
        /// From 1.
        line: usize,
        key: &'static str,
        /// Description of valid values.
        expected: &'static str,
    },
    /// The compiler or Node.js could not be run.
    #[error(
        "cannot run the Solidity compiler at {path}; Node.js must be on the PATH and `make deps` must have been run"
    )]
    Compiler {
        path: PathBuf,
        source: Box<SolcError>,
    },
    /// The sources do not compile.
    #[error("the contracts do not compile:\n{}", messages.join("\n"))]
    Compilation {
        /// Error messages of the compiler.
        messages: Vec<String>,
    },
    /// The source folder has no contracts.
    #[error("no contract found under {path}")]
    NoContracts { path: PathBuf },
    /// Two contracts have the same name, so their artifacts would have the same file name.
    #[error("two contracts are named {name}: in {first} and in {second}")]
    DuplicateName {
        name: String,
        /// Source file of the first.
        first: String,
        /// Source file of the second.
        second: String,
    },
    /// The compiler output lacks something.
    #[error("the compiler output for {name} has no {missing}")]
    IncompleteOutput { name: String, missing: &'static str },
}

impl Error {
    /// Whether repeating the same call can help. It never does.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        false
    }
}
