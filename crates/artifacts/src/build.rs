//! What the artifacts have in common: the compiler, the sources, and which contract needs which of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Artifact, CodeRange, CompilerRecord};

/// Everything one run of the compiler gives to commit.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// One per contract and interface, sorted by name.
    pub artifacts: Vec<Artifact>,
    /// What they have in common; none of the mocks, which no explorer will ever see.
    pub build: Option<BuildRecord>,
}

/// How the deployable contracts were compiled, sources included: enough for an explorer to do it again, and for `atr` to
/// ask one to without a compiler at hand.
#[derive(Clone, Debug, Serialize)]
pub struct BuildRecord {
    /// What compiled them.
    pub compiler: CompilerRecord,
    /// Deployable contracts by name.
    pub contracts: BTreeMap<String, ContractRecord>,
    /// Texts of the sources by name.
    pub sources: BTreeMap<String, String>,
}

/// What is particular to one deployable contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractRecord {
    /// Source file it is declared in.
    pub source_name: String,
    /// That file and all it imports.
    pub sources: Vec<String>,
    /// Where the constructor writes each immutable into the runtime code, by the immutable's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

impl BuildRecord {
    /// Name of the file it is committed to. No contract can claim it: they begin with a capital.
    pub const FILE_NAME: &'static str = "build.json";

    /// The bytes of that file: pretty, newline at the end.
    ///
    /// # Panics
    ///
    /// Never: every part is a string, a number or a map with string keys.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a record has string keys only");
        json.push('\n');
        json
    }
}

impl Compilation {
    /// The files to commit, by name.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        self.artifacts
            .iter()
            .map(|artifact| (artifact.file_name(), artifact.to_json()))
            .chain(
                self.build
                    .iter()
                    .map(|build| (BuildRecord::FILE_NAME.to_owned(), build.to_json())),
            )
            .collect()
    }
}
