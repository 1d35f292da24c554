//! What a manifest says about its tool, for display.

use serde::Serialize;

use crate::{
    Document, MAX_DESCRIPTION_CODE_POINTS, MAX_NAME_CODE_POINTS, MAX_PRICING_ENTRIES,
    MAX_URL_BYTES, Price, Value,
};

/// The members of a document that describe the tool to people. No rule is checked: a document that violates rules has a summary
/// too, and every text is untrusted. Lengths are limited as in a valid manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named after the members of the manifest")]
pub struct ManifestSummary {
    pub name: Option<String>,
    pub description: Option<String>,
    pub endpoint: Option<String>,
    /// The valid prices, in the creator's order of preference.
    pub prices: Vec<Price>,
    /// Whether `pricing` has entries that are not valid prices.
    pub has_invalid_prices: bool,
}

impl ManifestSummary {
    /// The summary of a document.
    #[must_use]
    pub fn new(document: &Document) -> Self {
        let root = document.root();
        let text = |name: &str, max: usize| {
            let text = root.get(name).and_then(Value::as_str)?;
            Some(text.chars().take(max).collect())
        };
        let entries = root.get("pricing").into_iter().flat_map(Value::elements);
        let prices: Vec<_> = entries
            .take(MAX_PRICING_ENTRIES)
            .map(Price::from_value)
            .collect();
        Self {
            name: text("name", MAX_NAME_CODE_POINTS),
            description: text("description", MAX_DESCRIPTION_CODE_POINTS),
            endpoint: text("endpoint", MAX_URL_BYTES),
            has_invalid_prices: prices.iter().any(Option::is_none),
            prices: prices.into_iter().flatten().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> ManifestSummary {
        ManifestSummary::new(&Document::parse(text).unwrap())
    }

    #[test]
    fn invalid_documents_have_a_summary() {
        let found = summary(r#"{ "name": "oracle", "endpoint": "ftp://x", "pricing": [{}] }"#);
        assert_eq!(found.name.as_deref(), Some("oracle"));
        assert_eq!(found.endpoint.as_deref(), Some("ftp://x"));
        assert_eq!(found.description, None);
        assert!(found.prices.is_empty() && found.has_invalid_prices);
        assert_eq!(summary("[]"), ManifestSummary::default());
        assert_eq!(summary(r#"{ "name": 1 }"#), ManifestSummary::default());
    }

    #[test]
    fn texts_are_limited() {
        let found = summary(&format!(r#"{{ "name": "{}" }}"#, "é".repeat(10_000)));
        assert_eq!(found.name, Some("é".repeat(MAX_NAME_CODE_POINTS)));
    }

    #[test]
    fn prices_are_serialized_as_text() {
        let found = summary(
            r#"{ "pricing": [{
                "amount": "1000",
                "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
                "recipient": "eip155:8453:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "protocol": "x402"
            }] }"#,
        );
        assert_eq!(
            serde_json::to_value(&found.prices).unwrap(),
            serde_json::json!([{
                "amount": "1000",
                "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
                "recipient": "eip155:8453:0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "protocol": "x402",
            }])
        );
        assert!(!found.has_invalid_prices);
    }
}
