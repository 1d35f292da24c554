//! How the contracts were compiled, from the committed build record.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The record as `make artifacts` wrote it.
static RECORD: LazyLock<Record> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../artifacts/build.json"))
        .expect("the committed build record is valid: a test reads it")
});

#[derive(Debug, Deserialize)]
struct Record {
    compiler: Compiler,
    contracts: BTreeMap<String, Build>,
    sources: BTreeMap<String, String>,
}

/// Compiler and settings; the settings are those of the compiler's standard JSON input that decide the bytecode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// Version and commit, such as `0.8.37+commit.f401782d`.
    pub version: String,
    /// The settings that decide the bytecode.
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

/// Some bytes of the runtime code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CodeRange {
    /// Offset of the first byte.
    pub start: usize,
    /// How many.
    pub length: usize,
}

impl Build {
    pub(crate) fn of(name: &str) -> &'static Self {
        RECORD
            .contracts
            .get(name)
            .expect("every bound contract is in the build record: a test compares the two")
    }

    /// What compiled it; the same for all contracts.
    #[must_use]
    pub fn compiler(&self) -> &'static Compiler {
        &RECORD.compiler
    }

    /// Source file the contract is declared in.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// Where the constructor writes each immutable into the runtime code, by the immutable's name.
    #[must_use]
    pub const fn immutables(&self) -> &BTreeMap<String, Vec<CodeRange>> {
        &self.immutable_references
    }

    /// The compiler's standard JSON input with the sources this contract needs and no others: what an explorer compiles to
    /// see that the code comes from them.
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
