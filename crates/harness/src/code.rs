//! The source of the contracts' bytecode.

use std::{
    fs,
    path::{Path, PathBuf},
};

use alloy_primitives::{Bytes, hex};
use atr_bindings::ContractCode;
use serde_json::Value;

/// The build of the contracts that a world deploys.
///
/// `ATR_CODE` selects a forge output folder, so that the same properties run on contracts with a planted bug, on mutants
/// and on the output of other compiler pipelines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CodeSource {
    /// The committed artifacts in `crates/bindings`.
    #[default]
    Committed,
    /// `<folder>/<Name>.sol/<Name>.json`, forge's layout. Contracts missing there fall back to the committed artifacts.
    Folder(PathBuf),
}

impl CodeSource {
    /// Reads `ATR_CODE`.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test program has no caller to pass it down"
    )]
    pub fn from_environment() -> Self {
        match std::env::var_os("ATR_CODE") {
            Some(folder) => Self::Folder(folder.into()),
            None => Self::Committed,
        }
    }

    /// Creation code, without constructor arguments.
    ///
    /// # Panics
    ///
    /// When a file exists but is not a forge artifact: a test must not silently run on other bytecode.
    #[must_use]
    pub fn creation_code(&self, contract: &ContractCode) -> Bytes {
        match self {
            Self::Committed => contract.creation().clone(),
            Self::Folder(folder) => {
                let name = contract.name();
                let path = folder.join(format!("{name}.sol/{name}.json"));
                if path.exists() {
                    read_forge_artifact(&path).unwrap_or_else(|why| {
                        panic!("{} is not a forge artifact: {why}", path.display())
                    })
                } else {
                    contract.creation().clone()
                }
            }
        }
    }
}

fn read_forge_artifact(path: &Path) -> Result<Bytes, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let json: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let code = json["bytecode"]["object"]
        .as_str()
        .ok_or("`bytecode.object` is missing")?;
    let bytes = hex::decode(code).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("`bytecode.object` is empty".into());
    }
    Ok(bytes.into())
}
