//! What a tool says it takes to call it. A hint to plan by: the contract on chain decides.

use alloy_primitives::{Bytes, FixedBytes};
use atr_ids::HttpsUrl;

use crate::Value;

/// How requirements count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLogic {
    /// All must be met.
    And,
    /// One is enough.
    Or,
}

/// The requirements as the manifest lists them. They can be stale: access is what the registry answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessHint {
    /// How they count together.
    pub logic: AccessLogic,
    /// At least one.
    pub requirements: Vec<RequirementHint>,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementHint {
    /// What kind it is; zero is "unknown".
    pub kind: FixedBytes<4>,
    /// Its parameters, laid out as the kind says.
    pub data: Bytes,
    /// The same for people.
    pub label: String,
    /// Where to read or buy more, by name.
    pub links: Vec<(String, HttpsUrl)>,
}

impl AccessHint {
    pub(crate) fn of(access: Value<'_>) -> Option<Self> {
        let logic = match access.get("logic")?.as_str()? {
            "AND" => AccessLogic::And,
            "OR" => AccessLogic::Or,
            _ => return None,
        };
        let requirements = access
            .get("requirements")?
            .elements()
            .map(RequirementHint::of);
        Some(Self {
            logic,
            requirements: requirements.collect::<Option<_>>()?,
        })
    }
}

impl RequirementHint {
    fn of(entry: Value<'_>) -> Option<Self> {
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
