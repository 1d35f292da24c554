//! The build record: compiler, sources, and the sources of each contract.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Artifact, CodeRange, CompilerRecord};

/// The files of one compilation.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// One per contract and interface, sorted by name.
    pub artifacts: Vec<Artifact>,
    /// `None` for mocks, which are never verified by an explorer.
    pub build: Option<BuildRecord>,
}

/// How the deployable contracts were compiled, including sources. `atr` submits it to block explorers without a compiler.
#[derive(Clone, Debug, Serialize)]
pub struct BuildRecord {
    /// Compiler and settings.
    pub compiler: CompilerRecord,
    /// Deployable contracts by name.
    pub contracts: BTreeMap<String, ContractRecord>,
    /// Source texts by file name.
    pub sources: BTreeMap<String, String>,
}

/// The build of one deployable contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractRecord {
    /// Source file that declares it.
    pub source_name: String,
    /// That file and all its imports.
    pub sources: Vec<String>,
    /// Positions of each immutable in the runtime code, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

impl BuildRecord {
    /// File name. It cannot collide with a contract: contract names start with a capital letter.
    pub const FILE_NAME: &'static str = "build.json";
}

/// Mocks that `atr dev` places on a local chain.
const DEVELOPMENT: [&str; 3] = ["PlainERC3009", "PlainERC721", "StandInDelegateRegistry"];

impl Compilation {
    /// Of the mocks, those that `atr dev` places on a local chain: the binary must not depend on test crates.
    #[must_use]
    pub fn for_development(&self) -> Self {
        let artifacts = self.artifacts.iter().filter(|artifact| {
            let name = artifact.contract_name.as_str();
            DEVELOPMENT.contains(&name)
        });
        Self {
            artifacts: artifacts.cloned().collect(),
            build: None,
        }
    }

    /// File contents by name: indented JSON with a final newline.
    ///
    /// # Panics
    ///
    /// Never: all map keys are strings.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        let artifacts = self.artifacts.iter();
        let artifacts = artifacts.map(|artifact| (artifact.file_name(), to_json(artifact)));
        let build = self.build.iter();
        artifacts
            .chain(build.map(|build| (BuildRecord::FILE_NAME.to_owned(), to_json(build))))
            .collect()
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("all map keys are strings") + "\n"
}
