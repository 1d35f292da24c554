//! How the contracts were compiled, from the committed build record.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// `artifacts/build.json`, written by `make artifacts`.
static RECORD: LazyLock<Record> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../artifacts/build.json"))
        .expect("the committed build record is valid; a test parses it")
});

#[derive(Debug, Deserialize)]
struct Record {
    compiler: Compiler,
    contracts: BTreeMap<String, Build>,
    sources: BTreeMap<String, String>,
}

/// Compiler version and the settings that affect bytecode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// Version and commit, such as `0.8.37+commit.f401782d`.
    pub version: String,
    /// In the format of the compiler's standard JSON input.
    pub settings: Map<String, Value>,
}

/// How one contract was compiled.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    source_name: String,
    sources: Vec<String>,
    #[serde(default)]
    immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

/// A range of bytes in the runtime code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CodeRange {
    /// Offset of the first byte.
    pub start: usize,
    /// Number of bytes.
    pub length: usize,
}

impl Build {
    pub(crate) fn find(name: &str) -> &'static Self {
        RECORD
            .contracts
            .get(name)
            .expect("every contract is in the build record; a test compares the two")
    }

    /// The compiler, shared by all contracts.
    #[must_use]
    pub fn compiler(&self) -> &'static Compiler {
        &RECORD.compiler
    }

    /// Source file that declares the contract.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// Positions of each immutable in the runtime code, by name.
    #[must_use]
    pub const fn immutables(&self) -> &BTreeMap<String, Vec<CodeRange>> {
        &self.immutable_references
    }

    /// The compiler's standard JSON input with only the sources of this contract, for verification by block explorers.
    #[must_use]
    pub fn standard_input(&self) -> Value {
        let mut settings = RECORD.compiler.settings.clone();
        let outputs = ["abi", "metadata", "evm.bytecode", "evm.deployedBytecode"];
        settings.insert(
            "outputSelection".to_owned(),
            json!({ "*": { "*": outputs } }),
        );
        let sources: Map<_, _> = self
            .sources
            .iter()
            .map(|name| (name.clone(), json!({ "content": RECORD.sources[name] })))
            .collect();
        json!({ "language": "Solidity", "sources": sources, "settings": settings })
    }
}
