//! Which tool is meant.

use std::{fmt, str::FromStr};

use alloy_primitives::U256;
use atr_ids::{HttpsUrl, ToolRef, parse_decimal};

use crate::args::InvalidValue;

/// The ways to name a tool, for help and errors.
pub(crate) const FORMS: &str = "eip155:<chain>/erc8257:<registry>/<id>, as <id> in the registry of --registry, or by its metadata URL";

/// A tool as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolName {
    /// Fully: chain, registry and id.
    Reference(ToolRef),
    /// In the registry of the settings.
    Id(U256),
    /// By where its manifest is. There may be several of one place.
    Place(String),
}

impl FromStr for ToolName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |reason: atr_ids::Error| InvalidValue::Tool {
            found: text.to_owned(),
            reason: reason.to_string(),
        };
        if text.contains("://") {
            let url = HttpsUrl::from_unicode(text).map_err(refused)?;
            return Ok(Self::Place(url.to_string()));
        }
        if text.contains(':') || text.contains('/') {
            return text.parse().map(Self::Reference).map_err(refused);
        }
        let id = parse_decimal(text).map_err(refused)?;
        if id.is_zero() {
            return Err(refused(atr_ids::Error::ToolIdZero));
        }
        Ok(Self::Id(id))
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(tool) => write!(f, "{tool}"),
            Self::Id(id) => write!(f, "{id}"),
            Self::Place(url) => f.write_str(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_goes_by_reference_id_or_place() {
        let reference = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";
        let place = "https://a.example/.well-known/ai-tool/x.json";
        for (text, is) in [
            (
                reference,
                matches!(reference.parse(), Ok(ToolName::Reference(_))),
            ),
            ("7", matches!("7".parse(), Ok(ToolName::Id(_)))),
            (place, matches!(place.parse(), Ok(ToolName::Place(_)))),
        ] {
            assert!(is, "{text}");
            assert_eq!(text.parse::<ToolName>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "0",
            "07",
            "-1",
            "1.0",
            "eip155:1/erc8257:0x/1",
            "http://a.example/x",
            "seven",
        ] {
            assert!(text.parse::<ToolName>().is_err(), "{text:?}");
        }
    }
}
