//! What a manifest says, bounded for lists and search.

use std::collections::BTreeSet;

use atr_ids::{HttpsUrl, display_host};
use atr_manifest::{CheckedDocument, Document, Image, ManifestSummary, Policy, Value};
use atr_store::index::{ListedPrice, Listing};

/// Limits of untrusted text, in characters and entries.
const MAX_TAGS: usize = 20;
const MAX_TAG_CHARACTERS: usize = 64;
const MAX_VERSION_CHARACTERS: usize = 64;
const MAX_PROPERTIES: usize = 64;
const MAX_PROPERTY_CHARACTERS: usize = 64;
/// Longer data URLs of images are left out.
const MAX_IMAGE_BYTES: usize = 2048;

/// The listing of a served document; `None` if it is not JSON.
pub(crate) fn listing(bytes: &[u8]) -> Option<Listing> {
    let document = Document::parse(bytes).ok()?;
    let summary = ManifestSummary::new(&document);
    let root = document.root();
    let text = |name: &str, max: usize| Some(shorten(root.get(name)?.as_str()?, max));
    let tags = root.get("tags").into_iter().flat_map(Value::elements);
    let tags = tags.filter_map(Value::as_str).take(MAX_TAGS);
    let endpoint: Option<HttpsUrl> = summary.endpoint.as_deref().and_then(|url| url.parse().ok());
    let host = endpoint.as_ref().map(|url| url.origin().host().to_owned());
    let mut properties = BTreeSet::new();
    for schema in ["inputs", "outputs"] {
        collect_properties(root.get(schema), &mut properties);
    }
    let mut listing = Listing {
        version: text("version", MAX_VERSION_CHARACTERS),
        tags: tags.map(|tag| shorten(tag, MAX_TAG_CHARACTERS)).collect(),
        endpoint_host: host.as_deref().map(display_host),
        endpoint_host_ascii: host,
        prices: prices(&summary),
        has_invalid_prices: summary.has_invalid_prices,
        name: summary.name,
        description: summary.description,
        endpoint: summary.endpoint,
        properties: properties.into_iter().collect(),
        ..Listing::default()
    };
    if let Ok(manifest) = CheckedDocument::new(document, Policy::consumer()).into_manifest() {
        listing.follows_rules = true;
        listing.image = manifest.image().and_then(image);
        listing.featured_image = manifest.featured_image().and_then(image);
        if let Some(claims) = manifest.verifiability() {
            // K-13: the tier that the details support, not the claimed one.
            listing.claimed_tier = claims.declared_tier().map(|tier| tier.to_string());
            listing.effective_tier = Some(claims.effective_tier().to_string());
            let codes = claims.inconsistencies();
            listing.tier_inconsistencies = codes.into_iter().map(|code| code.to_string()).collect();
        }
    }
    Some(listing)
}

fn prices(summary: &ManifestSummary) -> Vec<ListedPrice> {
    let prices = summary.prices.iter().map(|price| ListedPrice {
        amount: price.amount.to_string(),
        asset: price.asset.to_string(),
        recipient: price.recipient.to_string(),
        protocol: price.protocol.clone(),
    });
    prices.collect()
}

fn image(image: &Image) -> Option<String> {
    let text = match image {
        Image::Https(url) => url.to_string(),
        Image::Ipfs(text) | Image::Data(text) => text.clone(),
    };
    (text.len() <= MAX_IMAGE_BYTES).then_some(text)
}

fn shorten(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// Names of the properties of an object schema, one level deep.
fn collect_properties(schema: Option<Value<'_>>, names: &mut BTreeSet<String>) {
    let properties = schema.and_then(|schema| schema.get("properties"));
    for (name, _) in properties.into_iter().flat_map(Value::members) {
        if names.len() >= MAX_PROPERTIES {
            return;
        }
        names.insert(shorten(name, MAX_PROPERTY_CHARACTERS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_violates_rules_has_a_listing() {
        let text = r#"{ "name": "oracle", "tags": ["a", 1, "b"], "endpoint": "https://xn--80ak6aa92e.com/x",
            "inputs": { "properties": { "city": {} } }, "outputs": { "properties": { "rain": {} } } }"#;
        let listing = listing(text.as_bytes()).unwrap();
        assert_eq!(listing.name.as_deref(), Some("oracle"));
        assert_eq!(listing.tags, ["a", "b"]);
        assert_eq!(listing.properties, ["city", "rain"]);
        // K-15: Cyrillic letters that look like "apple".
        assert_eq!(listing.endpoint_host.as_deref(), Some("xn--80ak6aa92e.com"));
        assert!(!listing.follows_rules);
        assert_eq!(super::listing(b"not JSON"), None);
    }

    #[test]
    fn text_is_bounded() {
        let tags: Vec<_> = (0..100)
            .map(|n| format!("\"{n}{}\"", "x".repeat(1000)))
            .collect();
        let text = format!(
            r#"{{ "tags": [{}], "version": "{}" }}"#,
            tags.join(","),
            "1".repeat(1000)
        );
        let listing = listing(text.as_bytes()).unwrap();
        assert_eq!(listing.tags.len(), MAX_TAGS);
        assert!(
            listing
                .tags
                .iter()
                .all(|tag| tag.chars().count() == MAX_TAG_CHARACTERS)
        );
        assert_eq!(
            listing.version.map(|version| version.len()),
            Some(MAX_VERSION_CHARACTERS)
        );
    }
}
