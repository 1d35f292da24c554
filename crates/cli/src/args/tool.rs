//! Tool argument.

use std::{fmt, str::FromStr};

use alloy_primitives::U256;
use atr_ids::{HttpsUrl, ToolRef, parse_decimal};

use crate::args::{AddressArg, InvalidValue};

/// Accepted forms, for error messages.
pub(crate) const FORMS: &str = "eip155:<chain>/erc8257:<registry>/<id>, <id>, or the manifest URL";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolArg {
    Reference(ToolRef),
    /// In the configured registry.
    Id(U256),
    /// Several tools can have the same manifest URL.
    ManifestUrl(String),
}

impl FromStr for ToolArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("://") {
            let url = HttpsUrl::from_unicode(text).map_err(|reason| InvalidValue::ManifestUrl {
                found: atr_ids::excerpt(text),
                reason: reason.to_string(),
            })?;
            return Ok(Self::ManifestUrl(url.to_string()));
        }
        let invalid = |_| InvalidValue::Tool {
            found: atr_ids::excerpt(text),
        };
        if text.contains(':') || text.contains('/') {
            return without_checksum(text)?
                .parse()
                .map(Self::Reference)
                .map_err(invalid);
        }
        let id = parse_decimal(text).map_err(invalid)?;
        if id.is_zero() {
            return Err(invalid(atr_ids::Error::ToolIdZero));
        }
        Ok(Self::Id(id))
    }
}

/// The registry of a reference in lower case, as the ERC requires, after its EIP-55 checksum was checked.
fn without_checksum(text: &str) -> Result<String, InvalidValue> {
    let registry = text.split(['/', ':']).find(|part| part.starts_with("0x"));
    let Some(registry) = registry else {
        return Ok(text.to_owned());
    };
    match registry.parse::<AddressArg>() {
        Err(error @ InvalidValue::Checksum { .. }) => Err(error),
        Ok(AddressArg(address)) => Ok(text.replacen(registry, &format!("{address:#x}"), 1)),
        // Reported with the reference.
        Err(_) => Ok(text.to_owned()),
    }
}

impl fmt::Display for ToolArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(tool) => write!(f, "{tool}"),
            Self::Id(id) => write!(f, "{id}"),
            Self::ManifestUrl(url) => f.write_str(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_reference_an_id_or_a_manifest_url() {
        let reference = "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";
        let url = "https://a.example/.well-known/ai-tool/x.json";
        for (text, has_variant) in [
            (
                reference,
                matches!(reference.parse(), Ok(ToolArg::Reference(_))),
            ),
            ("7", matches!("7".parse(), Ok(ToolArg::Id(_)))),
            (url, matches!(url.parse(), Ok(ToolArg::ManifestUrl(_)))),
        ] {
            assert!(has_variant, "{text}");
            assert_eq!(text.parse::<ToolArg>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_checksum_of_a_registry_is_checked() {
        let with = |registry: &str| format!("eip155:8453/erc8257:{registry}/7").parse::<ToolArg>();
        let lower = "0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1";
        let checksummed = alloy_primitives::Address::to_checksum(&lower.parse().unwrap(), None);
        assert_ne!(checksummed, lower);
        assert_eq!(with(&checksummed), with(lower));
        assert!(with(lower).is_ok());
        let wrong = checksummed.replace('B', "b");
        assert_ne!(wrong, checksummed);
        assert!(matches!(with(&wrong), Err(InvalidValue::Checksum { .. })));
    }

    #[test]
    fn rejects_everything_else() {
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
            assert!(text.parse::<ToolArg>().is_err(), "{text:?}");
        }
    }
}
