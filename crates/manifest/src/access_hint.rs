//! Access requirements as the manifest lists them. A hint only: the onchain predicate decides.

use alloy_primitives::{Bytes, FixedBytes};
use atr_ids::HttpsUrl;

use crate::Value;

/// How requirements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLogic {
    /// All requirements must be met.
    And,
    /// One requirement must be met.
    Or,
}

/// Access requirements as the manifest lists them. They can be stale; only the registry's access check is authoritative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessHint {
    /// How the requirements are combined.
    pub logic: AccessLogic,
    /// Never empty.
    pub requirements: Vec<RequirementHint>,
}

/// An access requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementHint {
    /// Requirement kind (an interface id). Zero means unknown.
    pub kind: FixedBytes<4>,
    /// Parameters, encoded as the kind defines.
    pub data: Bytes,
    /// Human-readable description.
    pub label: String,
    /// Links by name, such as "buy".
    pub links: Vec<(String, HttpsUrl)>,
}

impl AccessHint {
    pub(crate) fn from_value(access: Value<'_>) -> Option<Self> {
        let logic = match access.get("logic")?.as_str()? {
            "AND" => AccessLogic::And,
            "OR" => AccessLogic::Or,
            _ => return None,
        };
        let requirements = access
            .get("requirements")?
            .elements()
            .map(RequirementHint::from_value);
        Some(Self {
            logic,
            requirements: requirements.collect::<Option<_>>()?,
        })
    }
}

impl RequirementHint {
    fn from_value(entry: Value<'_>) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let links = entry.get("links").into_iter().flat_map(Value::members);
        Some(Self {
            kind: text("kind")?.parse().ok()?,
            data: text("data")?.parse().ok()?,
            label: text("label")?.to_owned(),
            links: links
                .map(|(name, link)| Some((name.to_owned(), link.as_str()?.parse().ok()?)))
                .collect::<Option<_>>()?,
        })
    }
}
