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
    /// `foundry.toml` is not valid, or a setting that the compiler needs is missing.
    #[error("foundry.toml: {0}")]
    Settings(#[from] Box<toml::de::Error>),
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
