#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod artifact;
mod build;
mod compile;
mod error;
mod folder;
mod settings;

// Only the binary of this package reads arguments.
use clap as _;

pub use artifact::{Artifact, Code, CodeRange, CompilerRecord, SettingsRecord};
pub use build::{BuildRecord, Compilation, ContractRecord};
pub use compile::{compile, compile_mocks};
pub use error::Error;
pub use folder::{ArtifactFolder, Difference};
pub use settings::CompilerSettings;
