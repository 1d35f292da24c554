//! URIs of every shape that the storage layout treats apart.

use std::fmt;

use proptest::prelude::*;

/// A metadata URI: any bytes.
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

/// Lengths at which something changes: the nine bytes in the header, whole slots, the longest URI.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        3 => 1_usize..120,
        1 => prop::sample::select(vec![1, 8, 9, 10, 40, 41, 42, 73, 74, 2_047, 2_048]),
        1 => 1_usize..=2_048,
    ]
}

/// `https://HOST/.well-known/ai-tool/SLUG.json`, the host up to one byte longer than can be abbreviated.
fn well_known() -> impl Strategy<Value = Uri> {
    let host =
        prop_oneof![3 => 0_usize..40, 1 => prop::sample::select(vec![31, 32, 33, 254, 255, 256])];
    (host, 0_usize..60, any::<bool>()).prop_map(|(host, slug, like_a_file)| {
        let mut host = "h".repeat(host);
        if like_a_file {
            host.push_str(".json");
        }
        let slug = "s".repeat(slug);
        Uri(format!("https://{host}/.well-known/ai-tool/{slug}.json").into_bytes())
    })
}

/// Nearly the well-known form: one byte of it changed.
fn nearly_well_known() -> impl Strategy<Value = Uri> {
    (well_known(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut uri, at, byte)| {
        let at = at.index(uri.0.len());
        uri.0[at] = byte;
        uri
    })
}

/// A URI the registry accepts.
pub fn valid_uri() -> impl Strategy<Value = Uri> {
    prop_oneof![
        4 => well_known(),
        2 => nearly_well_known(),
        2 => length().prop_map(|length| Uri(vec![b'u'; length])),
        // Shrunk in length only: of two thousand bytes each would be tried.
        2 => length().prop_flat_map(|length| prop::collection::vec(any::<u8>().no_shrink(), length)).prop_map(Uri),
        // Words of zeros look like slots that were never written.
        1 => length().prop_map(|length| Uri(vec![0; length])),
        1 => Just(Uri(b"https://h.json".to_vec())),
    ]
}

/// The same, now and then empty or too long.
pub fn any_uri() -> impl Strategy<Value = Uri> {
    prop_oneof![
        12 => valid_uri(),
        1 => Just(Uri(Vec::new())),
        1 => (2_049_usize..2_200).prop_map(|length| Uri(vec![b'x'; length])),
    ]
}
