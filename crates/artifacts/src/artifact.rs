//! A committed artifact.

use std::collections::BTreeMap;

use alloy_json_abi::JsonAbi;
use foundry_compilers::artifacts::{Optimizer, Settings, SettingsMetadata};
use serde::Serialize;

/// A contract or interface. Serialization is deterministic: fields are in declaration order and maps are sorted.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Contract name; also the file name.
    pub contract_name: String,
    /// Source file, relative to the repository root.
    pub source_name: String,
    /// The external ABI.
    pub abi: JsonAbi,
    /// `None` for interfaces.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// Compiler and settings, for reproducible builds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompilerRecord {
    /// Version and commit, without the platform.
    pub version: String,
    /// The settings that affect bytecode.
    pub settings: SettingsRecord,
}

/// Compiler settings in the format of the standard JSON input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsRecord {
    /// Target hard fork.
    pub evm_version: String,
    /// Optimizer settings.
    pub optimizer: Optimizer,
    /// Whether the IR pipeline was used.
    #[serde(rename = "viaIR")]
    pub via_ir: bool,
    /// Metadata appended to the code.
    pub metadata: Option<SettingsMetadata>,
}

impl From<&Settings> for SettingsRecord {
    fn from(settings: &Settings) -> Self {
        Self {
            evm_version: settings
                .evm_version
                .map(|fork| fork.to_string())
                .unwrap_or_default(),
            optimizer: settings.optimizer.clone(),
            via_ir: settings.via_ir.unwrap_or_default(),
            metadata: settings.metadata.clone(),
        }
    }
}

/// Bytecode of a deployable contract, as hex with `0x` prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// Creation code without constructor arguments.
    pub bytecode: String,
    /// Runtime code with immutables set to zero.
    pub deployed_bytecode: String,
    /// Positions of each immutable in the runtime code, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

/// A range of bytes in the runtime code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CodeRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Number of bytes.
    pub length: u32,
}

impl Artifact {
    /// File name.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.json", self.contract_name)
    }
}
