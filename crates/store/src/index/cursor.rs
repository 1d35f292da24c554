//! Cursors that clients cannot change unnoticed.

use std::fmt;

use alloy_primitives::keccak256;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// Bytes of the authentication code: forging one takes 2^64 tries on average.
const TAG_BYTES: usize = 16;

/// Longest cursor that is looked at.
const MAX_CHARACTERS: usize = 1024;

/// Signs cursors: `keccak256(key ‖ length of the purpose ‖ purpose ‖ payload)`, shortened. A sponge is a secure code with a prefixed key.
#[derive(Clone)]
pub struct CursorKey([u8; 32]);

impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey(…)")
    }
}

impl CursorKey {
    /// A key of 32 random bytes.
    #[must_use]
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// An opaque cursor. `purpose` names the query it belongs to, filters included.
    #[must_use]
    pub fn seal(&self, purpose: &[u8], payload: &[u8]) -> String {
        let mut bytes = self.tag(purpose, payload).to_vec();
        bytes.extend_from_slice(payload);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The payload of a cursor that [`Self::seal`] made for the same purpose; `None` for anything else.
    #[must_use]
    pub fn open(&self, purpose: &[u8], cursor: &str) -> Option<Vec<u8>> {
        if cursor.len() > MAX_CHARACTERS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, payload) = bytes.split_at_checked(TAG_BYTES)?;
        let expected = self.tag(purpose, payload);
        // No early exit: the time does not depend on the number of equal bytes.
        let difference = tag
            .iter()
            .zip(expected)
            .fold(0, |sum, (a, b)| sum | (a ^ b));
        (difference == 0).then(|| payload.to_vec())
    }

    fn tag(&self, purpose: &[u8], payload: &[u8]) -> [u8; TAG_BYTES] {
        let mut message = self.0.to_vec();
        message.extend_from_slice(&(purpose.len() as u64).to_be_bytes());
        message.extend_from_slice(purpose);
        message.extend_from_slice(payload);
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&keccak256(message)[..TAG_BYTES]);
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unchanged_cursors_of_the_same_key_and_purpose_open() {
        let key = CursorKey::new([7; 32]);
        let cursor = key.seal(b"list", b"position");
        assert_eq!(
            key.open(b"list", &cursor).as_deref(),
            Some(&b"position"[..])
        );
        assert_eq!(key.open(b"search", &cursor), None);
        assert_eq!(CursorKey::new([8; 32]).open(b"list", &cursor), None);
        for index in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key.open(b"list", &changed), None, "{index}");
        }
        for invalid in ["", "A", "%", &cursor[1..], &"A".repeat(5000)] {
            assert_eq!(key.open(b"list", invalid), None, "{invalid}");
        }
    }
}
