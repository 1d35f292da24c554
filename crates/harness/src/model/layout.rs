//! The registry's storage layout, derived from the description in `ToolSlotsLib.sol` only.

use std::collections::BTreeMap;

use alloy_primitives::U256;

use super::{Registry, Tool};

/// The stored form of a URI: the URI itself, or host and slug of a well-known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The stored bytes.
    pub bytes: Vec<u8>,
    /// The number of host bytes; 256 if the URI is not abbreviated.
    pub host_length: usize,
}

impl Text {
    /// Abbreviates a URI if possible.
    #[must_use]
    pub fn new(uri: &[u8]) -> Self {
        Self::abbreviated(uri).unwrap_or_else(|| Self {
            bytes: uri.to_vec(),
            host_length: 256,
        })
    }

    /// `https://HOST/.well-known/ai-tool/SLUG.json` with a host of at most 255 bytes.
    fn abbreviated(uri: &[u8]) -> Option<Self> {
        let rest = uri.strip_prefix(b"https://")?;
        let host_length = rest.iter().position(|byte| *byte == b'/')?;
        let (host, rest) = rest.split_at(host_length);
        let slug = rest
            .strip_prefix(b"/.well-known/ai-tool/")?
            .strip_suffix(b".json")?;
        (host_length <= 255).then(|| Self {
            bytes: [host, slug].concat(),
            host_length,
        })
    }
}

/// All non-zero slots of the registry.
#[must_use]
pub fn storage(registry: &Registry) -> BTreeMap<U256, U256> {
    let mut slots = BTreeMap::new();
    slots.insert(U256::from(1) << 71, U256::from(registry.count()));
    for (index, tool) in registry.tools().iter().enumerate() {
        let first = U256::from(index + 1) << 7;
        match tool {
            None => drop(slots.insert(first, U256::from(1) << 255)),
            Some(tool) => insert_tool(&mut slots, first, tool),
        }
    }
    slots.retain(|_, value| !value.is_zero());
    slots
}

fn insert_tool(slots: &mut BTreeMap<U256, U256>, first: U256, tool: &Tool) {
    let is_gated = !tool.predicate.is_zero();
    let text = Text::new(&tool.uri);
    let head = &text.bytes[..text.bytes.len().min(9)];
    let in_header = if is_gated {
        tool.predicate
    } else {
        tool.creator
    };

    let header = U256::from(u8::from(is_gated)) << 254
        | U256::from(1) << 253
        | U256::from(text.host_length) << 244
        | U256::from(text.bytes.len()) << 232
        | padded(head, 9) << 160
        | U256::from_be_slice(in_header.as_slice());
    slots.insert(first, header);
    if is_gated {
        slots.insert(
            first + U256::from(1),
            U256::from_be_slice(tool.creator.as_slice()),
        );
    }
    slots.insert(first + U256::from(2), tool.hash.into());
    for (index, piece) in text.bytes[head.len()..].chunks(32).enumerate() {
        slots.insert(first + U256::from(3 + index), padded(piece, 32));
    }
}

/// Bytes, right-padded with zeros to a length, as a number.
fn padded(bytes: &[u8], length: usize) -> U256 {
    let mut whole = bytes.to_vec();
    whole.resize(length, 0);
    U256::from_be_slice(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_well_known_form_is_abbreviated() {
        let text = |uri: &str| Text::new(uri.as_bytes());
        let stored = |bytes: &str, host_length| Text {
            bytes: bytes.as_bytes().to_vec(),
            host_length,
        };
        let uri = "https://a.example/.well-known/ai-tool/oracle.json";
        assert_eq!(text(uri), stored("a.exampleoracle", 9));
        assert_eq!(text("https:///.well-known/ai-tool/.json"), stored("", 0));
        for other in ["http://a/.well-known/ai-tool/b.json", "https://a.json", "x"] {
            assert_eq!(text(other), stored(other, 256));
        }
        let longest = format!("https://{}/.well-known/ai-tool/b.json", "h".repeat(255));
        assert_eq!(text(&longest).host_length, 255);
        let too_long = format!("https://{}/.well-known/ai-tool/b.json", "h".repeat(256));
        assert_eq!(text(&too_long).host_length, 256);
    }
}
