use std::collections::BTreeMap;

use atr_store::index::{ToolAccess, ToolRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::text;

/// Deepest nesting of requirements that is shown.
const MAX_DEPTH: usize = 4;

/// Requirements of a search result, nested ones included.
const MAX_LISTED: usize = 10;

/// Who may call a tool. Informative: only the registry decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Access {
    /// Whether the tool has no predicate.
    pub open_access: bool,
    /// `AND`: every requirement; `OR`: one of them.
    pub logic: String,
    /// `known`, `pending` (not read yet), `failed`, `over-limit` or `no-code`. Requirements that are not known are not absent.
    pub status: String,
    #[expect(missing_docs, reason = "plain data")]
    pub requirements: Vec<Requirement>,
    /// Whether requirements were left out: search results have at most 10, without `data`. The tool has all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// One requirement. Only the members of its kind are present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct Requirement {
    /// ERC-165 id of the published marker interface.
    pub kind: String,
    /// Name of the kind, such as `erc721`; `other` for an unknown kind.
    #[serde(rename = "type")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_tier: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_balance: Option<String>,
    /// As the contract encoded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Untrusted text of the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, String>,
    /// Of a nested list: `AND` or `OR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logic: Option<String>,
    /// Of a nested list, or the one requirement that must not be met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub requirements: Vec<Self>,
}

impl Access {
    pub(crate) fn new(tool: &ToolRecord, access: Option<&ToolAccess>) -> Self {
        if tool.predicate.is_none() {
            return Self {
                open_access: true,
                logic: "AND".to_owned(),
                status: "known".to_owned(),
                requirements: Vec::new(),
                truncated: false,
            };
        }
        let introspection: Value = access
            .and_then(|access| serde_json::from_str(&access.requirements).ok())
            .unwrap_or_default();
        let (logic, requirements) = list(&introspection, 0);
        Self {
            open_access: false,
            logic,
            status: string(&introspection, "status").unwrap_or_else(|| "pending".to_owned()),
            requirements,
            truncated: false,
        }
    }

    /// For lists.
    #[must_use]
    pub(crate) fn shortened(mut self) -> Self {
        let mut left = MAX_LISTED;
        self.truncated = shorten(&mut self.requirements, &mut left);
        self
    }
}

/// Removes `data` and what is beyond the number. Returns whether requirements were removed.
fn shorten(requirements: &mut Vec<Requirement>, left: &mut usize) -> bool {
    let mut is_truncated = false;
    requirements.retain_mut(|requirement| {
        if *left == 0 {
            is_truncated = true;
            return false;
        }
        *left -= 1;
        requirement.data = None;
        is_truncated |= shorten(&mut requirement.requirements, left);
        true
    });
    is_truncated
}

fn list(value: &Value, depth: usize) -> (String, Vec<Requirement>) {
    let logic = string(value, "logic").unwrap_or_else(|| "AND".to_owned());
    let items = value.get("requirements").and_then(Value::as_array);
    let items = items.filter(|_| depth < MAX_DEPTH).into_iter().flatten();
    (
        logic,
        items.map(|item| Requirement::new(item, depth)).collect(),
    )
}

fn string(value: &Value, name: &str) -> Option<String> {
    Some(text::line(value.get(name)?.as_str()?, 256))
}

impl Requirement {
    /// From the JSON of `atr_registry::Requirement`.
    fn new(value: &Value, depth: usize) -> Self {
        let decoded = value.get("decoded").unwrap_or(&Value::Null);
        let name = string(decoded, "type").unwrap_or_else(|| "other".to_owned());
        let data = value.get("data").and_then(Value::as_str).map(str::to_owned);
        let label = string(value, "label").filter(|label| !label.is_empty());
        let kind = string(value, "kind").unwrap_or_default();
        let (logic, requirements) = match name.as_str() {
            "nested" => {
                let (logic, requirements) = list(decoded, depth + 1);
                (Some(logic), requirements)
            }
            "negated" if depth < MAX_DEPTH => (None, vec![Self::new(decoded, depth + 1)]),
            _ => (None, Vec::new()),
        };
        Self {
            kind,
            collection_address: string(decoded, "collection"),
            token_id: string(decoded, "tokenId"),
            min_tier: decoded
                .get("minTier")
                .and_then(Value::as_u64)
                .and_then(|tier| tier.try_into().ok()),
            token_address: string(decoded, "token"),
            min_balance: string(decoded, "minBalance"),
            data,
            label,
            links: BTreeMap::new(),
            logic,
            requirements,
            name,
        }
    }
}
