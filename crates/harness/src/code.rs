//! Where the bytes of the contracts come from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use alloy_primitives::{Bytes, hex};
use atr_bindings::ContractCode;
use serde_json::Value;

/// Which build of the contracts a world deploys.
///
/// The committed bytes, unless `ATR_CODE` names a folder that forge built into: that is how the same properties judge a
/// registry with a planted bug, a mutant, or another compiler pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CodeSource {
    /// The artifacts in `crates/bindings`.
    #[default]
    Committed,
    /// `<folder>/<Name>.sol/<Name>.json`, as forge writes them. A contract that is not there comes from the committed ones.
    Folder(PathBuf),
}

impl CodeSource {
    /// What `ATR_CODE` says.
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
    /// When a file is there and is no artifact of forge's: a test must not quietly run on other bytes.
    #[must_use]
    pub fn creation_of(&self, contract: &ContractCode) -> Bytes {
        match self {
            Self::Committed => contract.creation().clone(),
            Self::Folder(folder) => {
                let name = contract.name();
                let path = folder.join(format!("{name}.sol/{name}.json"));
                if path.exists() {
                    read_forge_artifact(&path).unwrap_or_else(|why| {
                        panic!("{} is no artifact of forge's: {why}", path.display())
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
