//! One committed artifact: what Rust needs of a contract and nothing that moves by itself.

use std::collections::BTreeMap;

use alloy_json_abi::JsonAbi;
use foundry_compilers::artifacts::{Optimizer, Settings, SettingsMetadata};
use serde::Serialize;

/// A contract or interface as it is committed to `crates/bindings/artifacts`.
///
/// Fields are written in the order they stand here, every map is sorted: the same sources give the same bytes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Name of the contract, and of the file.
    pub contract_name: String,
    /// Source file, relative to the repository.
    pub source_name: String,
    /// What compiled it.
    pub compiler: CompilerRecord,
    /// The external interface.
    pub abi: JsonAbi,
    /// Code; an interface has none.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// Compiler and settings, so that anyone can compile the same bytes again.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompilerRecord {
    /// Version and commit, without the platform it was built for.
    pub version: String,
    /// The settings that decide the bytecode.
    pub settings: SettingsRecord,
}

/// The compiler's settings in the spelling of its standard JSON input.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsRecord {
    /// Oldest fork the code runs on.
    pub evm_version: String,
    /// Optimizer settings.
    pub optimizer: Optimizer,
    /// Whether code generation went through the intermediate representation.
    #[serde(rename = "viaIR")]
    pub via_ir: bool,
    /// What was appended to the code.
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

/// The two codes of a deployable contract, `0x` and hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// Creation code, constructor arguments not included.
    pub bytecode: String,
    /// Runtime code, immutables still zero.
    pub deployed_bytecode: String,
    /// Where the constructor writes each immutable into the runtime code, by the immutable's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

/// Some bytes of the runtime code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CodeRange {
    /// Offset of the first byte.
    pub start: u32,
    /// How many.
    pub length: u32,
}

impl Artifact {
    /// Name of the file it is committed to.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.json", self.contract_name)
    }

    /// The bytes of that file: pretty, newline at the end.
    ///
    /// # Panics
    ///
    /// Never: every part is a string, a number or a map with string keys.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json =
            serde_json::to_string_pretty(self).expect("an artifact has string keys only");
        json.push('\n');
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(code: Option<Code>) -> Artifact {
        Artifact {
            contract_name: "Sample".into(),
            source_name: "contracts/src/Sample.sol".into(),
            compiler: CompilerRecord {
                version: "0.8.37+commit.1".into(),
                settings: SettingsRecord {
                    evm_version: "cancun".into(),
                    optimizer: Optimizer {
                        enabled: Some(true),
                        runs: Some(7),
                        details: None,
                    },
                    via_ir: true,
                    metadata: None,
                },
            },
            abi: JsonAbi::new(),
            code,
        }
    }

    #[test]
    fn is_written_in_the_order_of_its_fields_and_ends_with_a_newline() {
        let json = artifact(Some(Code {
            bytecode: "0x01".into(),
            deployed_bytecode: "0x02".into(),
            immutable_references: [(
                "REGISTRY".into(),
                vec![CodeRange {
                    start: 3,
                    length: 32,
                }],
            )]
            .into(),
        }))
        .to_json();
        let keys = [
            "contractName",
            "sourceName",
            "compiler",
            "abi",
            "bytecode",
            "deployedBytecode",
            "immutableReferences",
        ];
        let at: Vec<_> = keys
            .iter()
            .map(|key| json.find(&format!("\n  \"{key}\"")).unwrap())
            .collect();
        assert!(at.is_sorted(), "{json}");
        assert!(json.ends_with("}\n"));
    }

    #[test]
    fn says_nothing_of_code_or_immutables_that_do_not_exist() {
        assert!(!artifact(None).to_json().contains("ytecode\""));
        let plain = Code {
            bytecode: "0x01".into(),
            deployed_bytecode: "0x02".into(),
            immutable_references: BTreeMap::new(),
        };
        assert!(
            !artifact(Some(plain))
                .to_json()
                .contains("immutableReferences")
        );
    }
}
