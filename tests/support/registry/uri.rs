//! Generators of URIs for every case of the storage layout.

use std::fmt;

use proptest::prelude::*;

/// A `metadataURI`: arbitrary bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Uri(pub Vec<u8>);

impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.0);
        let shown: String = text.chars().take(72).collect();
        write!(f, "{shown:?}")?;
        if shown.len() < text.len() {
            write!(f, "… ({} bytes)", self.0.len())?;
        }
        Ok(())
    }
}

/// Includes the boundaries of the layout: nine bytes in the header, whole slots, the maximum length.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        3 => 1_usize..120,
        1 => prop::sample::select(vec![1, 8, 9, 10, 40, 41, 42, 73, 74, 2_047, 2_048]),
        1 => 1_usize..=2_048,
    ]
}

/// `https://HOST/.well-known/ai-tool/SLUG.json`, with hosts of up to 256 bytes, one more than can be abbreviated.
fn well_known() -> impl Strategy<Value = Uri> {
    let host =
        prop_oneof![3 => 0_usize..40, 1 => prop::sample::select(vec![31, 32, 33, 254, 255, 256])];
    (host, 0_usize..60, any::<bool>()).prop_map(|(host, slug, has_suffix)| {
        let mut host = "h".repeat(host);
        if has_suffix {
            host.push_str(".json");
        }
        let slug = "s".repeat(slug);
        Uri(format!("https://{host}/.well-known/ai-tool/{slug}.json").into_bytes())
    })
}

/// The well-known form with one byte changed.
fn nearly_well_known() -> impl Strategy<Value = Uri> {
    (well_known(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut uri, at, byte)| {
        let at = at.index(uri.0.len());
        uri.0[at] = byte;
        uri
    })
}

/// A URI that the registry accepts.
pub fn valid_uri() -> impl Strategy<Value = Uri> {
    prop_oneof![
        4 => well_known(),
        2 => nearly_well_known(),
        2 => length().prop_map(|length| Uri(vec![b'u'; length])),
        // Shrinks in length only.
        2 => length().prop_flat_map(|length| prop::collection::vec(any::<u8>().no_shrink(), length)).prop_map(Uri),
        // Zero words look like slots that were never written.
        1 => length().prop_map(|length| Uri(vec![0; length])),
        1 => Just(Uri(b"https://h.json".to_vec())),
    ]
}

/// A URI, sometimes empty or too long.
pub fn any_uri() -> impl Strategy<Value = Uri> {
    prop_oneof![
        12 => valid_uri(),
        1 => Just(Uri(Vec::new())),
        1 => (2_049_usize..2_200).prop_map(|length| Uri(vec![b'x'; length])),
    ]
}
