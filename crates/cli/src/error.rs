//! What can go wrong in the frame itself, before or around a command.
//!
//! Commands wrap these and the errors of the rooms they call in `eyre`; `process` looks inside to choose the exit code.

use std::{io, path::PathBuf};

use crate::{invalid_value::InvalidValue, outcome::Outcome};

/// Why the frame could not do its part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// The file named by `--config` or `ATR_CONFIG` is not there.
    #[error("{path}: no such configuration file ({named_by})")]
    NoSuchConfig {
        path: PathBuf,
        named_by: &'static str,
    },
    /// The configuration file is there and cannot be read.
    #[error("{path}: cannot read the configuration file")]
    ReadConfig { path: PathBuf, source: io::Error },
    /// The configuration file is not text.
    #[error("{path}:{line}: the file is not UTF-8; TOML must be")]
    ConfigNotUtf8 { path: PathBuf, line: usize },
    /// The configuration file is not TOML.
    #[error("{path}:{line}: not TOML: {message}")]
    ConfigNotToml {
        path: PathBuf,
        line: usize,
        message: String,
    },
    /// The configuration file has a key that means nothing.
    #[error("{path}:{line}: unknown key `{key}`; {hint}")]
    UnknownKey {
        path: PathBuf,
        line: usize,
        key: String,
        hint: String,
    },
    /// The configuration file has a known key with a value of the wrong type.
    #[error("{path}:{line}: `{key}` must be {expected}, not {found}")]
    WrongType {
        path: PathBuf,
        line: usize,
        key: &'static str,
        expected: &'static str,
        found: &'static str,
    },
    /// The configuration file has a known key with a value that breaks its rule.
    #[error("{path}:{line}: `{key}`: {reason}")]
    InvalidKey {
        path: PathBuf,
        line: usize,
        key: &'static str,
        reason: InvalidValue,
    },
    /// An environment variable has a value that breaks its rule.
    #[error("environment variable {name}: {reason}")]
    InvalidVariable {
        name: &'static str,
        reason: InvalidValue,
    },
    /// The working directory cannot be told, so neither can the nearest `atr.toml`.
    #[error("cannot tell the working directory")]
    WorkingDirectory { source: io::Error },
    /// A file that was asked for could not be written.
    #[error("{path}: cannot write")]
    Write { path: PathBuf, source: io::Error },
    /// The answer could not be printed, for another reason than nobody listening.
    #[error("cannot write the answer")]
    Print { source: io::Error },
    /// A command that was asked about does not exist.
    #[error("there is no command `{name}`; {hint}")]
    NoSuchCommand { name: String, hint: String },
}

impl Error {
    /// The exit code a command that fails with this ends with.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            Self::NoSuchConfig { .. }
            | Self::ConfigNotUtf8 { .. }
            | Self::ConfigNotToml { .. }
            | Self::UnknownKey { .. }
            | Self::WrongType { .. }
            | Self::InvalidKey { .. }
            | Self::InvalidVariable { .. }
            | Self::NoSuchCommand { .. } => Outcome::Misuse,
            Self::ReadConfig { .. }
            | Self::WorkingDirectory { .. }
            | Self::Write { .. }
            | Self::Print { .. } => Outcome::Unknown,
        }
    }
}
