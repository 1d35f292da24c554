//! `--toolset`: a file of registered tools that are listed by name.

use std::{fs, path::Path};

use atr_api::mcp::{MAX_PINNED, Pin, Source, Toolset};
use serde::Deserialize;

use crate::{
    args::{Bytes32, ToolArg},
    error::Error,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tool: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    r#ref: String,
    name: Option<String>,
    hash: Option<String>,
}

/// Reads the pins of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Pin>, Error> {
    let invalid = |reason: String| Error::Toolset {
        path: path.to_owned(),
        reason,
    };
    let text = fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    let file: File = toml::from_str(&text).map_err(|error| invalid(error.message().to_owned()))?;
    if file.tool.is_empty() || file.tool.len() > MAX_PINNED {
        return Err(invalid(format!(
            "must have 1 to {MAX_PINNED} tables [[tool]], and has {}",
            file.tool.len()
        )));
    }
    let pins = file.tool.into_iter().enumerate().map(|(index, entry)| {
        let field =
            |name: &str, rule: String| invalid(format!("tool {}: {name}: {rule}", index + 1));
        let tool = entry.r#ref.parse();
        let tool =
            tool.map_err(|error: crate::args::InvalidValue| field("ref", error.to_string()))?;
        let ToolArg::Reference(tool) = tool else {
            let rule = "must be eip155:<chain>/erc8257:<registry>/<id>".to_owned();
            return Err(field("ref", rule));
        };
        let hash = entry.hash.as_deref().map(str::parse::<Bytes32>).transpose();
        let hash: Option<Bytes32> = hash.map_err(|error| field("hash", error.to_string()))?;
        Ok(Pin {
            tool,
            name: entry.name,
            manifest_hash: hash.map(|hash| hash.0),
        })
    });
    pins.collect()
}

/// The tools that can be offered. The others are named in the log: a host that starts without one of its tools is of more use than one
/// that does not start.
pub(super) async fn load(source: &dyn Source, pins: &[Pin]) -> Toolset {
    let mut toolset = Toolset::default();
    for pin in pins {
        if let Err(error) = toolset.add(source, pin).await {
            tracing::warn!(tool = %pin.tool, %error, "a tool of --toolset is not offered");
        }
    }
    toolset
}
