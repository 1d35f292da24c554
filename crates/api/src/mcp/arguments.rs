//! Arguments of the reads, as the query of the API: both have the same rules.

use atr_ids::ToolRef;
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use super::definitions::MAX_LIMIT;
use crate::Failure;

/// Arguments that the schema of a tool names.
pub(super) struct Arguments<'a>(&'a JsonObject);

impl<'a> Arguments<'a> {
    /// Rejects arguments that the tool does not have: a misspelled filter must not be ignored.
    pub(super) fn new(tool: &Tool, arguments: &'a JsonObject) -> Result<Self, Failure> {
        let known = tool
            .input_schema
            .get("properties")
            .and_then(Value::as_object);
        let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        match arguments.keys().find(|name| !is_known(name)) {
            Some(name) => Err(Failure::invalid(name, "is not an argument of this tool")),
            None => Ok(Self(arguments)),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Failure::invalid(name, "must be a string")),
        }
    }

    pub(super) fn required(&self, name: &str) -> Result<&'a str, Failure> {
        self.text(name)?
            .ok_or_else(|| Failure::invalid(name, "is required"))
    }

    pub(super) fn tool_ref(&self) -> Result<ToolRef, Failure> {
        let rule =
            "must be eip155:<chain>/erc8257:<registry>/<id>, with the registry in lower case";
        let text = self.required("tool_ref")?;
        text.parse().map_err(|_| Failure::invalid("tool_ref", rule))
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<&'a JsonObject>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(_) => Err(Failure::invalid(name, "must be an object")),
        }
    }

    /// The query of a search.
    pub(super) fn search(&self) -> Result<String, Failure> {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.0 {
            match value {
                Value::Null => {}
                Value::String(text) => {
                    query.append_pair(name, text);
                }
                Value::Number(number) if name == "limit" => {
                    query.append_pair(name, &number.to_string());
                }
                Value::Array(tags) if name == "tags" => {
                    for tag in tags {
                        let rule = "must be an array of strings";
                        let tag = tag.as_str().ok_or_else(|| Failure::invalid(name, rule))?;
                        query.append_pair(name, tag);
                    }
                }
                _ => {
                    return Err(Failure::invalid(
                        name,
                        "has another type than in the schema",
                    ));
                }
            }
        }
        self.check_limit()?;
        Ok(query.finish())
    }

    /// The query for the tools of a wallet.
    pub(super) fn wallet(&self) -> Result<String, Failure> {
        let filter = match self.text("relation")? {
            None | Some("callable") => "callable_by",
            Some("created") => "creator",
            Some(_) => return Err(Failure::invalid("relation", "must be callable or created")),
        };
        let wallet = self.required("wallet")?;
        if crate::rest::parse_address(wallet).is_none() {
            let rule = "must be 0x and 40 hexadecimal digits";
            return Err(Failure::invalid("wallet", rule));
        }
        let page = self
            .0
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "wallet" | "relation"));
        let page: JsonObject = page
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut query = Serializer::new(Arguments(&page).search()?);
        query.append_pair(filter, wallet);
        query.append_pair("sort_by", "newest");
        Ok(query.finish())
    }

    /// Less than the API allows: a model reads all results.
    fn check_limit(&self) -> Result<(), Failure> {
        let limit = self.0.get("limit").filter(|limit| !limit.is_null());
        let is_allowed = |limit: &Value| {
            limit
                .as_u64()
                .is_some_and(|limit| (1..=u64::from(MAX_LIMIT)).contains(&limit))
        };
        match limit.is_none_or(is_allowed) {
            true => Ok(()),
            false => {
                let rule = format!("must be a number from 1 to {MAX_LIMIT}");
                Err(Failure::invalid("limit", rule))
            }
        }
    }
}
