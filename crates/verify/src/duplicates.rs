//! Registrations of one manifest.

use std::collections::BTreeMap;

use atr_ids::{MetadataUri, ToolRef};

/// Tools that share one `metadataURI`, by that URI in its normal form, in the order given; a URI with one tool is left out.
///
/// One creator can register one URI many times, on one registry or several, with different predicates, and all of them
/// verify (T-53). So each is shown with its full reference, and none is picked.
#[must_use]
pub fn duplicates<'a>(
    tools: impl IntoIterator<Item = (ToolRef, &'a str)>,
) -> BTreeMap<String, Vec<ToolRef>> {
    let mut by_uri: BTreeMap<String, Vec<ToolRef>> = BTreeMap::new();
    for (tool, uri) in tools {
        // Two spellings of one place are one place; what is no place is only the same as itself.
        let uri = match uri.parse::<MetadataUri>() {
            Ok(place) => place.to_string(),
            Err(_) => uri.to_owned(),
        };
        by_uri.entry(uri).or_default().push(tool);
    }
    by_uri.retain(|_, tools| tools.len() > 1);
    by_uri
}
