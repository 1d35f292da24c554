//! Compiler settings, read from `foundry.toml`, so that forge and this crate always use the same.

use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
    str::FromStr,
};

use foundry_compilers::artifacts::{
    BytecodeHash, EvmVersion, Optimizer, Settings, SettingsMetadata,
    output_selection::OutputSelection, remappings::Remapping,
};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::Error;

#[derive(Deserialize)]
struct FoundryToml {
    profile: Profiles,
}

#[derive(Deserialize)]
struct Profiles {
    default: CompilerSettings,
}

/// Sources, compiler and settings: `[profile.default]` without the keys that do not concern the compiler. All are required.
///
/// Other keys are ignored. If one of them changed bytecode, forge's artifacts would differ from ours, which
/// `test_BytecodeMatchesArtifacts` of the contracts detects.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CompilerSettings {
    /// Folder of `foundry.toml`.
    #[serde(skip)]
    pub root: PathBuf,
    /// Source folder, relative to the root.
    pub src: PathBuf,
    /// Test folder, relative to the root.
    pub test: PathBuf,
    /// Import remappings of the tests and mocks. `src` must not import from other folders.
    pub remappings: Vec<Remapping>,
    /// Path of the compiler, relative to the root.
    pub solc: PathBuf,
    /// Target hard fork.
    #[serde(deserialize_with = "from_str")]
    pub evm_version: EvmVersion,
    /// Whether the optimizer is enabled.
    pub optimizer: bool,
    /// Expected executions of each opcode.
    pub optimizer_runs: usize,
    /// Whether to use the IR pipeline.
    pub via_ir: bool,
    /// Hash type of the appended metadata.
    #[serde(deserialize_with = "from_str")]
    pub bytecode_hash: BytecodeHash,
    /// Whether metadata is appended to the code.
    pub cbor_metadata: bool,
    /// Whether the metadata contains the sources.
    pub use_literal_content: bool,
}

fn from_str<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

impl CompilerSettings {
    /// Reads `[profile.default]` of the `foundry.toml` in `root`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or parsed, or a key is missing or invalid.
    pub fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join("foundry.toml");
        let text = fs::read_to_string(&path).map_err(|source| Error::Read { path, source })?;
        let file: FoundryToml = toml::from_str(&text).map_err(Box::new)?;
        Ok(Self {
            root: root.to_owned(),
            ..file.profile.default
        })
    }

    /// The settings for solc, without output selection.
    pub(crate) fn to_solc(&self) -> Settings {
        Settings {
            optimizer: Optimizer {
                enabled: Some(self.optimizer),
                runs: Some(self.optimizer_runs),
                details: None,
            },
            metadata: Some(SettingsMetadata {
                use_literal_content: Some(self.use_literal_content),
                bytecode_hash: Some(self.bytecode_hash),
                cbor_metadata: Some(self.cbor_metadata),
            }),
            evm_version: Some(self.evm_version),
            via_ir: Some(self.via_ir),
            output_selection: OutputSelection::default(),
            ..Settings::default()
        }
    }
}
