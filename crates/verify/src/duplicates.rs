//! Tools registered with the same `metadataURI`.

use std::collections::BTreeMap;

use atr_ids::{MetadataUri, ToolRef};

/// Groups tools by normalized `metadataURI`, in the given order. A URI with a single tool is left out.
///
/// A creator can register a URI several times, in one registry or several, with different predicates, and every registration
/// verifies (T-53). Callers must show all of them and not select one.
#[must_use]
pub fn duplicates<'a>(
    tools: impl IntoIterator<Item = (ToolRef, &'a str)>,
) -> BTreeMap<String, Vec<ToolRef>> {
    let mut by_uri: BTreeMap<String, Vec<ToolRef>> = BTreeMap::new();
    for (tool, uri) in tools {
        // An invalid URI equals only itself.
        let uri = match uri.parse::<MetadataUri>() {
            Ok(uri) => uri.to_string(),
            Err(_) => uri.to_owned(),
        };
        by_uri.entry(uri).or_default().push(tool);
    }
    by_uri.retain(|_, tools| tools.len() > 1);
    by_uri
}
