//! What can go wrong between `foundry.toml` and a committed artifact.
//!
//! Seen by a developer at the terminal (through `main`) and by the freshness test; nothing else links this crate.

use std::path::PathBuf;

use foundry_compilers::error::SolcError;

/// Why the artifacts could not be made or compared.
///
/// Artifacts that are merely out of date are not an error: see [`Difference`](crate::Difference).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No folder above the working directory holds a `foundry.toml`.
    #[error("no foundry.toml here or above; run inside the repository or name it with --root")]
    NoRoot,
    /// A file or folder could not be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be written, replaced or removed.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The settings file is not TOML.
    #[error("{path}:{line}: not TOML: {message}")]
    Toml {
        /// The settings file.
        path: PathBuf,
        /// Line, counted from one.
        line: usize,
        /// What the parser said.
        message: String,
    },
    /// A setting that decides the bytecode is left to somebody's default.
    #[error(
        "{path}: `{key}` is missing from [profile.default]; it decides the bytecode, so it is never defaulted"
    )]
    MissingSetting {
        /// The settings file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// A setting this crate has never heard of, which may or may not decide the bytecode.
    #[error(
        "{path}:{line}: unknown setting `{key}`; teach it to crates/artifacts/src/settings.rs, \
         among those that decide the bytecode or among those that do not"
    )]
    UnknownSetting {
        /// The settings file.
        path: PathBuf,
        /// Line, counted from one.
        line: usize,
        /// The key.
        key: String,
    },
    /// A known setting with a value of the wrong kind.
    #[error("{path}:{line}: `{key}` must be {expected}")]
    InvalidSetting {
        /// The settings file.
        path: PathBuf,
        /// Line, counted from one.
        line: usize,
        /// The key.
        key: &'static str,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// The compiler, or the Node.js under it, could not be run.
    #[error(
        "cannot run the Solidity compiler at {path}; is Node.js on the PATH, and has `make deps` been run?"
    )]
    Compiler {
        /// The compiler `foundry.toml` names.
        path: PathBuf,
        /// What running it said.
        source: Box<SolcError>,
    },
    /// The compiler ran and refused the sources.
    #[error("the contracts do not compile:\n{}", messages.join("\n"))]
    Compilation {
        /// The compiler's own messages, errors only.
        messages: Vec<String>,
    },
    /// There is nothing to compile.
    #[error("no contract found under {path}")]
    NoContracts {
        /// The source folder `foundry.toml` names.
        path: PathBuf,
    },
    /// Two contracts would claim the same file.
    #[error(
        "two contracts are named {name}: in {first} and in {second}; artifacts are files by name"
    )]
    DuplicateName {
        /// The name they share.
        name: String,
        /// Where it was found first.
        first: String,
        /// Where it was found again.
        second: String,
    },
    /// The compiler left something out of its answer.
    #[error("the compiler's answer for {name} has no usable {missing}")]
    IncompleteOutput {
        /// The contract.
        name: String,
        /// What is not there: the ABI, linked creation code…
        missing: &'static str,
    },
}

impl Error {
    /// Whether the same call may succeed when simply made again: never, each of these waits for an edit or an
    /// installation.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        false
    }
}
